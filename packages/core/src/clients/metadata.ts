// One file: one table of all members of client metadata.

import type { ClientRecord, TokenEndpointAuthMethod, JsonObject } from '@mintmark/storage-interface'

import type { SigningAlgorithm, SigningAlgorithms } from '../keys/ring.ts'
import { clientAlgorithms } from './client-jwt.ts'
import { contentEncryptionRule, keyEncryptionRule } from './encrypt-answer.ts'
import { standardGrants } from './grant-types.ts'
import { profileRules, type ProfileSettings, type SecurityProfile, securityProfiles } from './security-profile.ts'

/** The rule for one member of the client metadata. */
export interface MetadataRule {
  readonly kind: keyof MetadataValues
  /**
   * Who may set the member: only an administrator; also a client that registers itself; or also a client in its metadata
   * document.
   */
  readonly setBy: 'administrator' | 'client' | 'document'
  /** Whether the values are addresses, which a permission to register can limit to some hosts. */
  readonly isAddress?: true
  /** What operators read in the help of the command line and in the OpenAPI document. "It" is the client. */
  readonly description: string
  /** Some values of `strings`, which editors offer as completions. */
  readonly examples?: readonly string[]
  /** The permitted values of a `method`, an `algorithm` or a `choice`. */
  readonly values?: readonly string[]
  /** The maximum length of a string in the admin API and at the registration endpoint. Default: 2000. */
  readonly maxLength?: number
  /** The maximum number of strings in the admin API and at the registration endpoint. Default: 100. */
  readonly maxItems?: number
  /** The value of a client that is registered without the member. Without a default the member stays undefined. */
  readonly default?: MetadataValues[keyof MetadataValues]
  /** `required`: every registration has it. `clearable`: it may be undefined, and an update can remove it. */
  readonly presence?: 'required' | 'clearable'
}

/** The types of the values, by kind. */
interface MetadataValues {
  readonly string: string
  readonly strings: readonly string[]
  readonly method: TokenEndpointAuthMethod
  readonly algorithm: SigningAlgorithm
  readonly choice: string
  readonly boolean: boolean
  readonly seconds: number
  readonly object: JsonObject
}

const methods = [
  'none',
  'client_secret',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
] as const satisfies readonly TokenEndpointAuthMethod[]

/** Whether the method is a standard method, which this server implements itself. */
export const isStandardMethod = (name: string): boolean => methods.some((method) => method === name)

const algorithms = [
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
  'Ed25519',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
] as const satisfies readonly SigningAlgorithm[]

/** Returns the rule for an address that a client may leave out. */
function addressRule<Source extends MetadataRule['setBy']>(setBy: Source, description: string) {
  return { kind: 'string', setBy, isAddress: true, description, presence: 'clearable' } as const
}

function objectRule<Source extends MetadataRule['setBy']>(setBy: Source, description: string) {
  return { kind: 'object', setBy, description, presence: 'clearable' } as const
}

/**
 * The metadata of clients, under names that follow RFC 7591 §2. Registration, updates, the admin API with its OpenAPI
 * document, and the flags of the command line derive from this table.
 */
export const clientMetadata = {
  /** The name that the consent page shows to users. */
  clientName: {
    kind: 'string',
    setBy: 'document',
    description: 'shown to users on the consent page',
    maxLength: 200,
    presence: 'required',
  },
  /**
   * The https URL of a page about the client. The consent page links to it, and shows its host.
   * @defaultValue None. The consent page has no link.
   */
  clientUri: addressRule('document', 'a page about it, to which the consent page links'),
  /**
   * The https URL of its privacy policy. The consent page links to it, and shows its host.
   * @defaultValue None. The consent page has no link.
   */
  policyUri: addressRule('document', 'its privacy policy, to which the consent page links'),
  /**
   * The https URL of its terms of service. The consent page links to it, and shows its host.
   * @defaultValue None. The consent page has no link.
   */
  tosUri: addressRule('document', 'its terms of service, to which the consent page links'),
  /**
   * The https URL, with a host name, of its logo: a PNG, JPEG or WebP image of at most 64 KiB. The server fetches
   * it, so that no browser sends a request to the client. The logo of a client that registered itself without a signed
   * statement is not shown.
   * @defaultValue None. The consent page shows the first letter of the name.
   */
  logoUri: addressRule('client', 'its logo on the consent page: a PNG, JPEG or WebP image, which the server fetches'),
  /**
   * The https URL, without a fragment, to which others can send a user who wants to sign in to the client (OIDC Core §4).
   * The account page links to it, and `server.initiateLoginUrl` returns it with its parameters.
   * @defaultValue None. Users start at the client.
   */
  initiateLoginUri: addressRule('client', 'where others can send a user who wants to sign in to it'),
  /**
   * The security profile whose rules apply to the client and to the server's responses to it: `standard`, `mcp` (Model
   * Context Protocol), `fapi2` (FAPI 2.0 Security Profile), `fapi2_message_signing`, or `ipsie_sl1` (the draft
   * OpenID Connect profile of IPSIE).
   * @defaultValue `standard`. Few clients can meet the rules of the other profiles.
   */
  profile: {
    kind: 'choice',
    setBy: 'administrator',
    description: 'the security profile whose rules apply to it',
    values: securityProfiles,
    default: 'standard',
  },
  /**
   * How the client authenticates; `none` makes it a public client. With `client_secret` it may send its secret as
   * `client_secret_basic` or as `client_secret_post`. `tls_client_auth` and `self_signed_tls_client_auth` need the
   * option `mutualTls` of the server.
   * @defaultValue `client_secret`. Some libraries use one method to redeem the code, and the other to refresh.
   */
  tokenEndpointAuthMethod: {
    kind: 'method',
    setBy: 'document',
    description: 'how it authenticates; client_secret accepts both secret methods, none makes it a public client',
    values: methods,
    default: 'client_secret',
  },
  /**
   * Redirect URIs, compared character by character (RFC 9700 §2.1); on loopback any port is accepted.
   * @defaultValue None. A client that uses the authorization code grant needs at least one.
   */
  redirectUris: {
    kind: 'strings',
    setBy: 'document',
    isAddress: true,
    description: 'where users return to after signing in',
    default: [],
  },
  /**
   * The grant types that the client may use.
   * @defaultValue `['authorization_code']`. It is the default of RFC 7591 §2.
   */
  grantTypes: {
    kind: 'strings',
    setBy: 'document',
    description: 'the grant types that it may use',
    examples: standardGrants,
    maxLength: 200,
    maxItems: 20,
    default: ['authorization_code'],
  },
  /**
   * The scope values that the client may request.
   * @defaultValue `['openid']`. It identifies the user without any further claims.
   */
  scopes: {
    kind: 'strings',
    setBy: 'client',
    description: 'the scope values that it may request',
    examples: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
    maxLength: 256,
    maxItems: 200,
    default: ['openid'],
  },
  /**
   * The audiences for which the client is the resource server. It may introspect tokens for them.
   * @defaultValue None. Tokens may be introspected only by their audiences (RFC 7662 §4).
   */
  servedAudiences: {
    kind: 'strings',
    setBy: 'administrator',
    description: 'the audiences whose tokens it may introspect, as their resource server',
    default: [],
  },
  /**
   * The algorithm of its ID tokens.
   * @defaultValue `RS256`, or the first algorithm of a server without it. Every client supports RS256 (OIDC
   *   Registration §2). With any profile except `standard` it is `ES256`, because FAPI 2.0 does not permit RS256; if
   *   the server does not sign with it, the server's first algorithm that the profile permits.
   */
  idTokenSignedResponseAlg: {
    kind: 'algorithm',
    setBy: 'client',
    description: 'the algorithm of its ID tokens',
    values: algorithms,
    default: 'RS256',
  },
  /**
   * Accepted for completeness: ID tokens always contain `auth_time`.
   * @defaultValue `false`. Either value has the same effect.
   */
  requireAuthTime: {
    kind: 'boolean',
    setBy: 'client',
    description: 'accepted for completeness: ID tokens always contain auth_time',
    default: false,
  },
  /**
   * Whether its authorization requests must use PKCE. Requests of a public client always must. If a request contains a
   * code challenge, the challenge is always enforced.
   * @defaultValue `false`. RFC 9700 §2.1.1 recommends PKCE for confidential clients, and not every library supports it.
   */
  requirePkce: {
    kind: 'boolean',
    setBy: 'client',
    description: 'refuses its authorization requests without PKCE, as it does for every public client',
    default: false,
  },
  /**
   * Whether its authorization requests must be pushed (RFC 9126 §6).
   * @defaultValue `false`. A client may push its requests anyway; few libraries do so by default.
   */
  requirePushedAuthorizationRequests: {
    kind: 'boolean',
    setBy: 'client',
    description: 'refuses its authorization requests that were not pushed',
    default: false,
  },
  /**
   * Whether its token requests must have a DPoP proof. Its access tokens are bound to the key of the proof (RFC 9449
   * §5.2).
   * @defaultValue `false`. A client may send proofs anyway; few libraries do so by default.
   */
  dpopBoundAccessTokens: {
    kind: 'boolean',
    setBy: 'client',
    description: 'refuses its token requests without a DPoP proof',
    default: false,
  },
  /**
   * Whether its token requests must present a certificate, to which its access tokens are bound (RFC 8705 §3.4). It
   * cannot be combined with `dpopBoundAccessTokens`.
   * @defaultValue `false`. Few clients have a certificate.
   */
  tlsClientCertificateBoundAccessTokens: {
    kind: 'boolean',
    setBy: 'client',
    description: 'refuses its token requests without a client certificate, and binds its tokens to it',
    default: false,
  },
  /**
   * The subject of its certificate, for `tls_client_auth` (RFC 8705 §2.1.2), in the string form of RFC 4514:
   * `CN=client,O=Example,C=SE`. A client that authenticates this way needs exactly one of the
   * five `tlsClientAuth…` members.
   * @defaultValue None. The client has another `tlsClientAuth…` member, or another authentication method.
   */
  tlsClientAuthSubjectDn: {
    kind: 'string',
    setBy: 'client',
    description: 'the subject of its certificate (RFC 4514), for tls_client_auth',
    presence: 'clearable',
  },
  /**
   * A DNS name in its certificate (RFC 8705 §2.1.2). Wildcards are not accepted.
   * @defaultValue None. The client has another `tlsClientAuth…` member, or another authentication method.
   */
  tlsClientAuthSanDns: {
    kind: 'string',
    setBy: 'client',
    description: 'a DNS name in its certificate, for tls_client_auth',
    maxLength: 253,
    presence: 'clearable',
  },
  /**
   * A URI in its certificate, compared character by character (RFC 8705 §2.1.2).
   * @defaultValue None. The client has another `tlsClientAuth…` member, or another authentication method.
   */
  tlsClientAuthSanUri: {
    kind: 'string',
    setBy: 'client',
    description: 'a URI in its certificate, for tls_client_auth',
    presence: 'clearable',
  },
  /**
   * An IP address in its certificate (RFC 8705 §2.1.2).
   * @defaultValue None. The client has another `tlsClientAuth…` member, or another authentication method.
   */
  tlsClientAuthSanIp: {
    kind: 'string',
    setBy: 'client',
    description: 'an IP address in its certificate, for tls_client_auth',
    maxLength: 45,
    presence: 'clearable',
  },
  /**
   * An e-mail address in its certificate (RFC 8705 §2.1.2).
   * @defaultValue None. The client has another `tlsClientAuth…` member, or another authentication method.
   */
  tlsClientAuthSanEmail: {
    kind: 'string',
    setBy: 'client',
    description: 'an e-mail address in its certificate, for tls_client_auth',
    maxLength: 320,
    presence: 'clearable',
  },
  /**
   * Whether its assertions for `private_key_jwt` may have the URL of the token endpoint as audience.
   * @defaultValue `false`. Only the issuer is accepted, so that a client cannot be tricked into signing for this server
   * at another one.
   */
  allowTokenEndpointAudience: {
    kind: 'boolean',
    setBy: 'administrator',
    description: 'accepts the URL of the token endpoint as the audience of its assertions',
    default: false,
  },
  /**
   * Whether its redirect URIs may have a scheme without a dot, such as `vscode` or `msauth`, for a native app that has no
   * other. Any app can claim such a scheme, so that PKCE is all that protects the codes.
   * @defaultValue `false`. The scheme of an app is a reversed domain name, so that apps do not share one (RFC 8252 §7.1).
   */
  allowSchemesWithoutDot: {
    kind: 'boolean',
    setBy: 'administrator',
    description: 'accepts redirect URIs that have the scheme of an app without a dot, such as vscode',
    default: false,
  },
  /**
   * The APIs that the client may request tokens for (RFC 8707).
   * @defaultValue The APIs that define at least one of its scope values. It needs no tokens for other APIs.
   */
  resources: {
    kind: 'strings',
    setBy: 'administrator',
    description: 'the APIs that it may request tokens for; default: the APIs that define one of its scopes',
    presence: 'clearable',
  },
  /**
   * The types of authorization details that the client may request (RFC 9396 §10).
   * @defaultValue None. Each type is a separate permission, such as the permission to start payments.
   */
  authorizationDetailsTypes: {
    kind: 'strings',
    setBy: 'administrator',
    description: 'the types of authorization details that it may request',
    maxLength: 256,
    default: [],
  },
  /**
   * Where users may return to after signing out, compared like redirect URIs (RP-Initiated Logout §3.1).
   * @defaultValue None. Users then stay on this server's page, which says that they have signed out.
   */
  postLogoutRedirectUris: {
    kind: 'strings',
    setBy: 'client',
    isAddress: true,
    description: 'where users may return to after signing out',
    default: [],
  },
  /**
   * The URL to which the server posts a logout token when a session of the client's users is revoked: https, by host
   * name (Back-Channel Logout §2.2).
   * @defaultValue None. The client learns of a sign-out when its tokens stop working.
   */
  backchannelLogoutUri: addressRule('client', 'the address to which the server posts logout tokens'),
  /**
   * Whether the client needs `sid` in logout tokens (Back-Channel Logout §2.2).
   * @defaultValue `false`. Even then, a logout token contains `sid` whenever a single session is revoked.
   */
  backchannelLogoutSessionRequired: {
    kind: 'boolean',
    setBy: 'client',
    description: 'needs sid in logout tokens, which contain it whenever a single session is revoked',
    default: false,
  },
  /**
   * The URL that the browser loads in a frame when the user signs out (Front-Channel Logout §2). It has the scheme,
   * host and port of a redirect URI.
   * @defaultValue None. The client learns of a sign-out in another way.
   */
  frontchannelLogoutUri: addressRule('client', 'the address that the browser loads in a frame when the user signs out'),
  /**
   * Whether the server adds the parameters `iss` and `sid` to the front-channel logout URI (Front-Channel Logout §2).
   * @defaultValue `false`. The client then identifies the session by its own cookie.
   */
  frontchannelLogoutSessionRequired: {
    kind: 'boolean',
    setBy: 'client',
    description: 'adds iss and sid to its front-channel logout address',
    default: false,
  },
  /**
   * How it learns that a user whom it named has decided (CIBA Core 1.0 §4): it polls, or the server sends it a `ping`.
   * It may poll in either mode.
   * @defaultValue `poll`. Such a client needs no address of its own.
   */
  backchannelTokenDeliveryMode: {
    kind: 'choice',
    setBy: 'client',
    description: 'how it learns of the decision of a user whom it named (CIBA); default: poll',
    values: ['poll', 'ping'],
    presence: 'clearable',
  },
  /**
   * The https URL, with a host name, to which the server posts that the user has decided (CIBA Core 1.0 §10.2).
   * @defaultValue None. The mode `ping` needs it.
   */
  backchannelClientNotificationEndpoint: addressRule(
    'client',
    'the address to which the server posts that a user whom it named has decided (CIBA)',
  ),
  /**
   * The algorithm of its backchannel authentication requests (CIBA Core 1.0 §4). They must then be signed.
   * @defaultValue None. Its requests must not be signed, except that a profile of FAPI requires signatures.
   */
  backchannelAuthenticationRequestSigningAlg: {
    kind: 'choice',
    setBy: 'client',
    description: 'the algorithm of its backchannel authentication requests (CIBA); without one, they are not signed',
    values: clientAlgorithms,
    presence: 'clearable',
  },
  /**
   * Whether its requests contain a code that only the user knows, which keeps others from asking the user (CIBA Core 1.0
   * §7.1). The server's option `ciba.verifyUserCode` checks it.
   * @defaultValue `false`. The users of most servers have no such code.
   */
  backchannelUserCodeParameter: {
    kind: 'boolean',
    setBy: 'client',
    description: 'sends a code that only the user knows with its backchannel authentication requests (CIBA)',
    default: false,
  },
  /**
   * The algorithm of its request objects (RFC 9101).
   * @defaultValue Any algorithm that this server accepts, if the client has keys. Its keys limit the choice.
   */
  requestObjectSigningAlg: {
    kind: 'choice',
    setBy: 'client',
    description: 'the algorithm of its request objects; default: any that the server accepts',
    values: clientAlgorithms,
    presence: 'clearable',
  },
  /**
   * The algorithm that signs the server's authorization responses to it (JARM §3). It then gets only signed responses.
   * @defaultValue None. Few clients verify signed responses. The modes `jwt`, `query.jwt` and `form_post.jwt` are then
   *   refused.
   */
  authorizationSignedResponseAlg: {
    kind: 'algorithm',
    setBy: 'client',
    description: 'the algorithm that signs its authorization responses (JARM); without one, they are not signed',
    values: algorithms,
    presence: 'clearable',
  },
  /**
   * The algorithm of its introspection responses when it requests signed responses (RFC 9701 §6).
   * @defaultValue RS256, or the first algorithm of a server without it. RFC 9701 §6 says RS256.
   */
  introspectionSignedResponseAlg: {
    kind: 'algorithm',
    setBy: 'client',
    description: 'the algorithm of its introspection responses when it requests signed responses',
    values: algorithms,
    presence: 'clearable',
  },
  /**
   * Whether its authorization requests must be signed (RFC 9101 §10.5).
   * @defaultValue `false`. Few libraries sign requests.
   */
  requireSignedRequestObject: {
    kind: 'boolean',
    setBy: 'client',
    description: 'refuses its authorization requests without a signed request object',
    default: false,
  },
  /**
   * How `sub` identifies users to it (OIDC Core §8): `public`, the same for all clients, or `pairwise`, different in
   * each sector. The type cannot change later.
   * @defaultValue `public`. The clients and APIs of one company usually have to recognize the same user.
   */
  subjectType: {
    kind: 'choice',
    setBy: 'client',
    description:
      'how sub identifies its users: public, the same for all clients, or pairwise, different in each sector',
    values: ['public', 'pairwise'],
    default: 'public',
  },
  /**
   * The https URL of a JSON array with all its redirect URIs. Its host is the sector (OIDC Core §8.1). The server
   * reads the document when the client is registered, and when the URL or the redirect URIs change.
   * @defaultValue None. The sector is the host of the redirect URIs.
   */
  sectorIdentifierUri: addressRule(
    'client',
    'the address of a JSON array of its redirect URIs, whose host is the sector of pairwise subjects',
  ),
  /**
   * The organization that the client belongs to. Tokens about the client itself name the organization, and are refused
   * after the organization is removed.
   * @defaultValue None. The client's own tokens name no organization.
   */
  organizationId: {
    kind: 'string',
    setBy: 'administrator',
    description: 'the organization that its own tokens are for',
    maxLength: 255,
    presence: 'clearable',
  },
  /**
   * How the JWT of its platform identifies it, if it authenticates with that instead of an assertion of its own (RFC 7523
   * §3): the `issuer`, and the `claims` with the values that they must have. Its keys are those of the platform.
   * `githubActions`, `kubernetesServiceAccount` and `spiffeWorkload` return it.
   * @defaultValue None. The client signs its assertions itself.
   */
  workload: objectRule(
    'administrator',
    'the issuer and the claims of the JWTs of its platform, with which it authenticates',
  ),
  /**
   * The authorization servers for which it gets ID-JAGs (draft-ietf-oauth-identity-assertion-authz-grant), with which it acts
   * for users there. A member for each issuer: `client_id` is its identifier there, `scopes` the scope values, `resources`
   * the APIs, and `subject_client` the client of this server as which the other server signs users in, if it knows them by
   * pairwise subjects. The server needs the option `crossAppAccess.issues`.
   * @defaultValue None. An administrator decides which client acts for users where.
   */
  crossAppAudiences: objectRule(
    'administrator',
    'the authorization servers for which it gets ID-JAGs, by their issuer, with client_id, scopes and resources',
  ),
  /**
   * Its public keys as a JWK set (RFC 7517 §5): for `private_key_jwt`, request objects and encrypted responses, and
   * with the certificates of `self_signed_tls_client_auth`.
   * @defaultValue None. Clients that use none of these need no keys.
   */
  jwks: objectRule('document', 'its public keys as a JWK set, for private_key_jwt and request objects'),
  /**
   * The https URL, with a host name, at which the client publishes its keys. It replaces `jwks`.
   * @defaultValue None. Set it to let the client rotate its keys without a new registration.
   */
  jwksUri: addressRule('document', 'the address of its public keys, for private_key_jwt and request objects'),
  /**
   * The algorithm of its userinfo responses, which are then signed JWTs.
   * @defaultValue Plain JSON. It is received from the issuer over TLS (OIDC Registration §2).
   */
  userinfoSignedResponseAlg: {
    kind: 'algorithm',
    setBy: 'client',
    description: 'the algorithm that signs its userinfo responses; without one, they are plain JSON',
    values: algorithms,
    presence: 'clearable',
  },
  /**
   * The algorithm that encrypts the key of its ID tokens (OIDC Registration §2). It needs a key with `use` `enc` in
   * `jwks` or at `jwksUri`.
   * @defaultValue None. The ID tokens are not encrypted: TLS protects them in transit.
   */
  idTokenEncryptedResponseAlg: keyEncryptionRule('ID tokens'),
  /**
   * The algorithm that encrypts its ID tokens.
   * @defaultValue `A128CBC-HS256`, if they are encrypted. It is the default of OIDC Registration §2.
   */
  idTokenEncryptedResponseEnc: contentEncryptionRule('ID tokens'),
  /**
   * The algorithm that encrypts the key of its userinfo responses (OIDC Registration §2). It needs a key with `use`
   * `enc` in `jwks` or at `jwksUri`. The responses must be signed too.
   * @defaultValue None. The userinfo responses are not encrypted: TLS protects them in transit.
   */
  userinfoEncryptedResponseAlg: keyEncryptionRule('userinfo responses'),
  /**
   * The algorithm that encrypts its userinfo responses.
   * @defaultValue `A128CBC-HS256`, if they are encrypted. It is the default of OIDC Registration §2.
   */
  userinfoEncryptedResponseEnc: contentEncryptionRule('userinfo responses'),
  /**
   * The algorithm that encrypts the key of its signed introspection responses (RFC 9701 §6). It needs a key with `use`
   * `enc` in `jwks` or at `jwksUri`.
   * @defaultValue None. The signed introspection responses are not encrypted: TLS protects them in transit.
   */
  introspectionEncryptedResponseAlg: keyEncryptionRule('signed introspection responses'),
  /**
   * The algorithm that encrypts its signed introspection responses.
   * @defaultValue `A128CBC-HS256`, if they are encrypted. It is the default of RFC 9701 §6.
   */
  introspectionEncryptedResponseEnc: contentEncryptionRule('signed introspection responses'),
  /**
   * The algorithm that encrypts the key of its authorization responses (JARM §3). It needs a key with `use` `enc` in
   * `jwks` or at `jwksUri`. The responses must be signed too.
   * @defaultValue None. The authorization responses are not encrypted: a code is useless without the client's
   *   credentials.
   */
  authorizationEncryptedResponseAlg: keyEncryptionRule('signed authorization responses'),
  /**
   * The algorithm that encrypts its authorization responses.
   * @defaultValue `A128CBC-HS256`, if they are encrypted. It is the default of JARM §3.
   */
  authorizationEncryptedResponseEnc: contentEncryptionRule('signed authorization responses'),
  /**
   * Seconds after which users must sign in again when a request has no `max_age`.
   * @defaultValue None. The host's session lifetime applies.
   */
  defaultMaxAge: {
    kind: 'seconds',
    setBy: 'client',
    description: 'seconds after which users must sign in again when a request has no max_age',
    presence: 'clearable',
  },
} as const satisfies Readonly<Record<string, MetadataRule>>

type Rules = typeof clientMetadata
type Presence<Rule> = Rule extends { readonly presence: infer Stated } ? Stated : 'defaulted'
type Value<Rule extends MetadataRule> = Rule extends { readonly examples: readonly (infer Example)[] }
  ? // `string & {}` keeps the examples for completion in editors, and accepts any other string.
    readonly (Example | (string & {}))[]
  : Rule extends { readonly kind: 'choice'; readonly values: readonly (infer Choice)[] }
    ? Choice
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
 * Completes the metadata of a registration with the defaults in the table.
 * @param server the algorithms that the server signs with, if they are known, and what it accepts.
 */
export function completeMetadata(
  registration: RequiredMetadata & DefaultedMetadata & ClearableMetadata,
  server: DefaultingServer = {},
): ClientMetadata {
  const given = new Map<string, unknown>(Object.entries(registration))
  const rules: readonly (readonly [string, MetadataRule])[] = Object.entries(clientMetadata)
  const { profile = 'standard' } = registration
  const profileDefaults = new Map(
    profile === 'standard' ? [] : [['idTokenSignedResponseAlg', profileAlgorithm(profile, server)]],
  )
  return Object.fromEntries(
    rules.map(([name, rule]) => [name, given.get(name) ?? profileDefaults.get(name) ?? rule.default]),
  ) as ClientMetadata
}

/** What the defaults of a registration depend on. */
interface DefaultingServer {
  readonly keys?: SigningAlgorithms | undefined
  readonly clientRules?: ProfileSettings | undefined
}

/**
 * Returns the algorithm of ID tokens for a client with a profile that names none: ES256, or the first that the profile
 * permits and the server signs with. If there is none, it is ES256, which `refuseUnsignable` then refuses.
 */
function profileAlgorithm(
  profile: SecurityProfile,
  { keys, clientRules: { minimumProfile } = { minimumProfile: 'standard' } }: DefaultingServer,
): SigningAlgorithm {
  const { algorithms: permitted } = profileRules({ profile }, { minimumProfile })
  const usable = keys?.algorithms.filter((name) => permitted?.includes(name) !== false) ?? []
  return usable.includes('ES256') ? 'ES256' : (usable[0] ?? 'ES256')
}

/** The members that may be undefined in a change: undefined removes the value. */
export type ClearableChange = { readonly [Name in keyof ClearableMetadata]?: ClearableMetadata[Name] | undefined }

/** Whether the client authenticates with a secret. */
export const usesSecret = ({ tokenEndpointAuthMethod }: ClientRecord): boolean =>
  tokenEndpointAuthMethod.startsWith('client_secret')
