import type { ClientRecord, JsonObject, TokenEndpointAuthMethod } from '@mintmark/storage-interface'

import type { SigningAlgorithm, SigningAlgorithms } from '../keys/ring.ts'
import { isVisibleAscii } from './authenticate.ts'
import { isRegistrableRedirectUri } from './redirect-uri.ts'
import { isOutboundUrl } from '../outbound/client.ts'
import { readKeySet } from './remote-key-set.ts'

/** The rule for one member of the client metadata. */
export interface MetadataRule {
  readonly kind: keyof MetadataValues
  /** For operators: a flag of the command line, and a property in the OpenAPI document. */
  readonly description: string
  /** Some values of `texts`, for completion in editors. */
  readonly examples?: readonly string[]
  /** The values of a `method` or an `algorithm`. */
  readonly values?: readonly string[]
  /** The longest text that the admin API accepts. */
  readonly longest?: number
  /** The largest number of texts that the admin API accepts. Default: 100. */
  readonly most?: number
  /** The value of a client that is registered without the member. Without a default the member stays undefined. */
  readonly default?: MetadataValues[keyof MetadataValues]
  /** `required`: every registration has it. `clearable`: it may be undefined, and an update can remove it. */
  readonly presence?: 'required' | 'clearable'
}

/** The types of the values, by kind. */
interface MetadataValues {
  readonly text: string
  readonly texts: readonly string[]
  readonly method: TokenEndpointAuthMethod
  readonly algorithm: SigningAlgorithm
  readonly flag: boolean
  readonly seconds: number
  readonly keySet: JsonObject
}

const methods = [
  'none',
  'client_secret',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const satisfies readonly TokenEndpointAuthMethod[]

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'ML-DSA-65'] as const satisfies readonly SigningAlgorithm[]

const standardGrants = ['authorization_code', 'refresh_token', 'client_credentials'] as const

/**
 * The metadata of clients, under names that follow RFC 7591 §2. Registration, updates, the admin API with its OpenAPI
 * document, and the flags of the command line derive from this table.
 */
export const clientMetadata = {
  /** Shown to users on the consent page. */
  clientName: { kind: 'text', description: 'shown to users on the consent page', longest: 200, presence: 'required' },
  /**
   * How the client authenticates; `none` makes it a public client. With `client_secret` it may send its secret as
   * `client_secret_basic` or as `client_secret_post`.
   * @defaultValue `client_secret`. Some libraries use one method for the code and the other to refresh.
   */
  tokenEndpointAuthMethod: {
    kind: 'method',
    description: 'how it authenticates; client_secret accepts both secret methods, none makes it a public client',
    values: methods,
    default: 'client_secret',
  },
  /**
   * Redirect URIs, compared character by character (RFC 9700 §2.1); on loopback any port is accepted.
   * @defaultValue None. A client of the authorization code grant needs one.
   */
  redirectUris: { kind: 'texts', description: 'where users return to after signing in', longest: 2000, default: [] },
  /**
   * The grant types that the client may use.
   * @defaultValue `['authorization_code']`. It is the default of RFC 7591 §2.
   */
  grantTypes: {
    kind: 'texts',
    description: 'the grant types that it may use',
    examples: standardGrants,
    longest: 200,
    most: 20,
    default: ['authorization_code'],
  },
  /**
   * The scope values that the client may request.
   * @defaultValue `['openid']`. It identifies the user without any further claims.
   */
  scopes: {
    kind: 'texts',
    description: 'the scope values that it may request',
    examples: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
    longest: 256,
    most: 200,
    default: ['openid'],
  },
  /**
   * The audiences that the client is the resource server of: it may introspect tokens for them.
   * @defaultValue None. Tokens may be introspected only by their audiences (RFC 7662 §4).
   */
  servedAudiences: {
    kind: 'texts',
    description: 'the audiences whose tokens it may introspect, as their resource server',
    longest: 2000,
    default: [],
  },
  /**
   * The algorithm of its ID tokens.
   * @defaultValue `RS256`, or the first algorithm of a server without it. Every client supports RS256 (OIDC
   *   Registration §2).
   */
  idTokenSignedResponseAlg: {
    kind: 'algorithm',
    description: 'the algorithm of its ID tokens',
    values: algorithms,
    default: 'RS256',
  },
  /**
   * Accepted for completeness: ID tokens always contain `auth_time`.
   * @defaultValue `false`. It has no effect.
   */
  requireAuthTime: {
    kind: 'flag',
    description: 'accepted for completeness: ID tokens always contain auth_time',
    default: false,
  },
  /**
   * Whether its authorization requests must use PKCE. Those of a public client always must. A challenge that a request has
   * is always enforced.
   * @defaultValue `false`. RFC 9700 §2.1.1 recommends PKCE for confidential clients, and not every library supports it.
   */
  requirePkce: {
    kind: 'flag',
    description: 'refuses its authorization requests without PKCE; those of public clients always are',
    default: false,
  },
  /**
   * Whether its assertions for `private_key_jwt` may have the URL of the token endpoint as audience.
   * @defaultValue `false`. Only the issuer is accepted, so that a client cannot be tricked into signing for this server
   * at another one.
   */
  allowTokenEndpointAudience: {
    kind: 'flag',
    description: 'accepts the URL of the token endpoint as the audience of its assertions',
    default: false,
  },
  /**
   * The APIs that the client may request tokens for (RFC 8707).
   * @defaultValue Those that define at least one of its scope values. It needs tokens for no other API.
   */
  resources: {
    kind: 'texts',
    description: 'the APIs that it may request tokens for; without any, those that define one of its scopes',
    longest: 2000,
    presence: 'clearable',
  },
  /**
   * Where users may return to after signing out, compared like redirect URIs (RP-Initiated Logout §3.1).
   * @defaultValue None. Users then stay on the page of this server that says that they have signed out.
   */
  postLogoutRedirectUris: {
    kind: 'texts',
    description: 'where users may return to after signing out',
    longest: 2000,
    default: [],
  },
  /**
   * The URL to which the server posts a logout token when a session of the client's users is revoked: https, by host
   * name (Back-Channel Logout §2.2).
   * @defaultValue None. The client learns of a sign-out when its tokens stop working.
   */
  backchannelLogoutUri: {
    kind: 'text',
    description: 'the address to which the server posts logout tokens',
    longest: 2000,
    presence: 'clearable',
  },
  /**
   * Whether the client needs `sid` in logout tokens (Back-Channel Logout §2.2).
   * @defaultValue `false`. It has `sid` whenever a single session is revoked, also without it.
   */
  backchannelLogoutSessionRequired: {
    kind: 'flag',
    description: 'needs sid in logout tokens, which have it whenever one session is revoked',
    default: false,
  },
  /**
   * The URL that the browser loads in a frame when the user signs out (Front-Channel Logout §2). It has the scheme, host
   * and port of a redirect URI.
   * @defaultValue None. The client learns of a sign-out in another way.
   */
  frontchannelLogoutUri: {
    kind: 'text',
    description: 'the address that the browser loads in a frame when the user signs out',
    longest: 2000,
    presence: 'clearable',
  },
  /**
   * Whether the front-channel logout URI gets the parameters `iss` and `sid` (Front-Channel Logout §2).
   * @defaultValue `false`. The client then identifies the session by its own cookie.
   */
  frontchannelLogoutSessionRequired: {
    kind: 'flag',
    description: 'adds iss and sid to its front-channel logout address',
    default: false,
  },
  /**
   * Public keys for `private_key_jwt`, as a JWK set (RFC 7517 §5).
   * @defaultValue None. Other methods need no keys.
   */
  jwks: { kind: 'keySet', description: 'its public keys as a JWK set, for private_key_jwt', presence: 'clearable' },
  /**
   * The URL at which the client publishes its keys instead: https, by host name.
   * @defaultValue None. With a URL the client can rotate its keys on its own.
   */
  jwksUri: {
    kind: 'text',
    description: 'the address of its public keys, for private_key_jwt',
    longest: 2000,
    presence: 'clearable',
  },
  /**
   * Makes the userinfo endpoint answer with a signed JWT.
   * @defaultValue Plain JSON. It is received from the issuer over TLS (OIDC Registration §2).
   */
  userinfoSignedResponseAlg: {
    kind: 'algorithm',
    description: 'the algorithm of its userinfo responses; plain JSON without one',
    values: algorithms,
    presence: 'clearable',
  },
  /**
   * Seconds after which users must sign in again when a request has no `max_age`.
   * @defaultValue None. The host's session lifetime applies.
   */
  defaultMaxAge: {
    kind: 'seconds',
    description: 'seconds after which users must sign in again when a request has no max_age',
    presence: 'clearable',
  },
} as const satisfies Readonly<Record<string, MetadataRule>>

type Rules = typeof clientMetadata
type Presence<Rule> = Rule extends { readonly presence: infer Stated } ? Stated : 'defaulted'
type Value<Rule extends MetadataRule> = Rule extends { readonly examples: readonly (infer Example)[] }
  ? // `string & {}` keeps the examples for completion in editors, and accepts any other text.
    readonly (Example | (string & {}))[]
  : MetadataValues[Rule['kind']]

/** The members that may be undefined in a stored client. */
export type ClearableMetadata = {
  readonly [Name in keyof Rules as Presence<Rules[Name]> extends 'clearable' ? Name : never]?: Value<Rules[Name]>
}

/** The members that a registration must have. */
export type RequiredMetadata = {
  readonly [Name in keyof Rules as Presence<Rules[Name]> extends 'required' ? Name : never]: Value<Rules[Name]>
}

/** The members that have a default. */
export type DefaultedMetadata = {
  readonly [Name in keyof Rules as Presence<Rules[Name]> extends 'defaulted' ? Name : never]?: Value<Rules[Name]>
}

/** The complete metadata of a client. */
type ClientMetadata = RequiredMetadata &
  Required<DefaultedMetadata> & { readonly [Name in keyof ClearableMetadata]-?: ClearableMetadata[Name] | undefined }

/**
 * Refuses members that do not exist: a misspelled one would leave a default in force without a warning, and in a change it could
 * overwrite what only the server sets.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseUnknownMembers(given: object, also: readonly string[] = []): void {
  const known = [...Object.keys(clientMetadata), ...also]
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  // RFC 7591 §2 lets a server ignore members that it does not understand; here an administrator made a mistake.
  if (unknown !== undefined) throw invalid(`${unknown} is not client metadata. Members are ${known.join(', ')}.`)
}

/** Completes the metadata of a registration with the defaults of the table. */
export function completeMetadata(
  registration: RequiredMetadata & DefaultedMetadata & ClearableMetadata,
): ClientMetadata {
  const given = new Map<string, unknown>(Object.entries(registration))
  const rules: readonly (readonly [string, MetadataRule])[] = Object.entries(clientMetadata)
  return Object.fromEntries(rules.map(([name, rule]) => [name, given.get(name) ?? rule.default])) as ClientMetadata
}

/** The signing algorithms that a registration or a change requests. */
function requestedAlgorithms(metadata: DefaultedMetadata & ClearableChange): readonly string[] {
  const given = new Map<string, unknown>(Object.entries(metadata))
  return Object.entries(clientMetadata).flatMap(([name, { kind }]) => {
    const value = kind === 'algorithm' ? given.get(name) : undefined
    return typeof value === 'string' ? [value] : []
  })
}

/** Members that may be undefined in a change: undefined removes the value. */
export type ClearableChange = { readonly [Name in keyof ClearableMetadata]?: ClearableMetadata[Name] | undefined }

/**
 * Refuses a client that would be unusable or unsafe; called at registration and for the result of each update.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata.
 */
export function refuseUnusable(client: ClientRecord): void {
  // RFC 6749 Appendix A.1: client_id is visible ASCII.
  if (!isVisibleAscii(client.clientId) || client.clientId.trim() !== client.clientId)
    throw invalid('client_id must be visible ASCII.')
  if (client.clientName.trim() === '') throw invalid('client_name must not be empty.')
  refuseUnusableRedirects(client)
  refuseUnusableKeys(client)
  refuseUnusableLogoutUris(client)
  // RFC 6749 §3.3: a request could never contain any other value.
  if (!client.scopes.every(isScopeToken))
    throw invalid('A scope value is visible ASCII without space, quote and backslash.')
  // RFC 8707 §2: a request could never name any other value.
  if (client.resources?.every(isResourceUri) === false) throw invalid('A resource is an absolute URI without fragment.')
  // OIDC Registration §2: seconds. Stores might change or reject any other number.
  if (client.defaultMaxAge !== undefined && !isSeconds(client.defaultMaxAge))
    throw invalid('default_max_age must be a whole number of seconds, 0 or more.')
  // RFC 6749 §4.5: the name of any other grant is an absolute URI.
  const unknownGrant = client.grantTypes.find((name) => !isStandardGrant(name) && !URL.canParse(name))
  if (unknownGrant !== undefined) throw invalid(`A grant type is ${standardGrants.join(', ')}, or an absolute URI.`)
  // RFC 6749 §4.4: the grant is for confidential clients only.
  if (client.tokenEndpointAuthMethod === 'none' && client.grantTypes.includes('client_credentials')) {
    throw invalid('A public client cannot use the client credentials grant.')
  }
}

/**
 * Refuses metadata with an algorithm that the server does not sign with.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseUnsignable(
  metadata: DefaultedMetadata & ClearableChange,
  keys: SigningAlgorithms | undefined,
): void {
  // RFC 7591 §3.2.2: no response to this client could be signed.
  if (
    keys !== undefined &&
    !requestedAlgorithms(metadata).every((name) => keys.algorithms.some((own) => own === name))
  ) {
    throw invalid('The server does not sign with this algorithm; discovery lists those it signs with.')
  }
}

/** Whether the client authenticates with a secret. */
export const usesSecret = ({ tokenEndpointAuthMethod }: ClientRecord): boolean =>
  tokenEndpointAuthMethod.startsWith('client_secret')

function refuseUnusableRedirects(client: ClientRecord): void {
  for (const uri of client.redirectUris) {
    // RFC 6749 §3.1.2, RFC 9700 §2.1.
    if (!isRegistrableRedirectUri(uri)) {
      throw new ClientMetadataError(
        'invalid_redirect_uri',
        'A redirect URI must be https, http on loopback or a private-use scheme with a dot, in normal form, without fragment or wildcard, and with nothing in its query that an answer has.',
      )
    }
  }
  // RFC 6749 §3.1.2.2.
  if (client.grantTypes.includes('authorization_code') && client.redirectUris.length === 0) {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      'A client of the authorization code grant needs a redirect URI.',
    )
  }
}

function refuseUnusableKeys(client: ClientRecord): void {
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return
  // RFC 7591 §2: jwks and jwks_uri exclude each other.
  if ((client.jwks === undefined) === (client.jwksUri === undefined))
    throw invalid('private_key_jwt needs either jwks or jwks_uri.')
  // RFC 7517 §9.2: private keys stay with the client.
  if (client.jwks !== undefined && !isPublicKeySet(client.jwks))
    throw invalid('jwks must hold at least one public key, and no private or symmetric one.')
  if (client.jwksUri !== undefined && !isOutboundUrl(client.jwksUri))
    throw invalid('jwks_uri must be https, by host name, on the default port.')
}

function refuseUnusableLogoutUris(client: ClientRecord): void {
  const { postLogoutRedirectUris, backchannelLogoutUri, frontchannelLogoutUri } = client
  // RP-Initiated Logout §3.1: the browser is redirected there, with `state`.
  if (!postLogoutRedirectUris.every(isRegistrableRedirectUri))
    throw invalid('A post_logout_redirect_uri must have the form of a redirect URI.')
  // Back-Channel Logout §2.2: no fragment. The server itself sends requests there.
  if (backchannelLogoutUri !== undefined && !isOutboundUrl(backchannelLogoutUri))
    throw invalid('backchannel_logout_uri must be https, by host name, on the default port.')
  if (frontchannelLogoutUri === undefined) return
  // Front-Channel Logout §2: otherwise sign-outs would load pages that are not the client's.
  if (!isRegistrableRedirectUri(frontchannelLogoutUri) || !sharesOrigin(frontchannelLogoutUri, client.redirectUris))
    throw invalid('frontchannel_logout_uri must share scheme, host and port with a redirect URI of the client.')
}

/** Whether a web address has the scheme, host and port of one of these. Private-use schemes have no origin. */
const sharesOrigin = (address: string, others: readonly string[]): boolean =>
  /^https?:/.test(address) && others.some((other) => new URL(other).origin === new URL(address).origin)

/** Whether the set contains only asymmetric public keys (RFC 7517 §4). */
function isPublicKeySet(jwks: JsonObject): boolean {
  const keys = readKeySet(jwks)?.keys ?? []
  return keys.length > 0 && keys.every((key) => key.kty !== 'oct' && !('d' in key) && !('k' in key))
}

const isStandardGrant = (name: string): boolean => standardGrants.some((grant) => grant === name)

const isScopeToken = (scope: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope)

/** Whether it is an absolute URI without fragment (RFC 8707 §2). */
export const isResourceUri = (uri: string): boolean => URL.canParse(uri) && !uri.includes('#') && !/\s/.test(uri)

const isSeconds = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)

/**
 * A refused registration, with the error codes of RFC 7591 §3.2.2. `description` says which member is wrong and why.
 */
export class ClientMetadataError extends Error {
  override readonly name = 'ClientMetadataError'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly description: string

  constructor(code: ClientMetadataError['code'], description: string) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
  }
}
