import { type ClientRecord, type DurationSeconds, seconds } from '@mintmark/storage-interface'

import type { SigningAlgorithm, SigningAlgorithms } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'
import { cibaGrantType } from './grant-types.ts'
import { readKeySet } from './remote-key-set.ts'
import { hasSigningKey } from './usable-keys.ts'

/** What a security profile demands of a client and of the server's responses to it. */
export interface ProfileRules {
  /** Its authorization requests must be pushed (FAPI 2.0 SP §5.3.2.2). */
  readonly requiresPushedRequests: boolean
  /** Its authorization requests must be signed (FAPI 2.0 MS §5.3). */
  readonly requiresRequestObjects: boolean
  /**
   * Its backchannel authentication requests must be signed, and have a message or details by which the user recognizes
   * them (FAPI-CIBA §5.2.2).
   */
  readonly requiresSignedBackchannelRequests: boolean
  /** The maximum lifetime and the maximum age of its request objects (FAPI 2.0 MS §5.3.1). */
  readonly requestObjectLifetime: DurationSeconds | undefined
  /** The methods by which it may authenticate; `undefined` means every method of the server. */
  readonly authenticationMethods: readonly string[] | undefined
  /** The audience of its assertions must be a string, not an array (FAPI 2.0 SP §5.3.2.1). */
  readonly requiresStringAudience: boolean
  /**
   * The algorithms with which it may sign, and with which the server may sign for it; `undefined` means all of the
   * server's.
   */
  readonly algorithms: readonly string[] | undefined
  /** Its access tokens must be bound to a key that it holds (FAPI 2.0 SP §5.3.2.1). */
  readonly requiresSenderConstraint: boolean
  /** Whether its refresh tokens rotate (FAPI 2.0 SP §5.3.2.1 forbids it). */
  readonly rotatesRefreshTokens: boolean
  /** Whether it must use PKCE, regardless of its registration (FAPI 2.0 SP §5.3.2.2). */
  readonly requiresPkce: boolean
  /**
   * Whether each of its requests must name the API that the tokens are for (MCP 2026-07-28, Authorization, "Resource
   * Parameter Implementation").
   */
  readonly requiresResource: boolean
  /**
   * Whether scope values that it may not have are left out of a request; otherwise such a request is refused. FAPI 2.0
   * says nothing about it, but its clients push their requests and see the error before the user does.
   */
  readonly omitsScopes: boolean
  /**
   * Whether it gets an ID token only with `acr`, `amr` and `session_expiry`, which the host must then say of each sign-in
   * (IPSIE SL1 §3.2.1).
   */
  readonly requiresAuthenticationContext: boolean
  /** Whether its tokens are only for the user's claims at this server, and not for APIs (IPSIE SL1 §3.2.1). */
  readonly identityOnly: boolean
  /** Whether its redirect URIs must use https, also on loopback (IPSIE SL1 §3.2.1). */
  readonly requiresHttpsRedirects: boolean
  /** Whether an administrator must have registered it, or given a permission to register (IPSIE SL1 §3.2.1). */
  readonly requiresRegistration: boolean
  /** The grant types that it may be registered for; `undefined` means every grant type of the server. */
  readonly grantTypes: readonly string[] | undefined
  /** The maximum lifetime of its authorization codes (FAPI 2.0 SP §5.3.2.1). */
  readonly longestCodeLifetime: DurationSeconds | undefined
  /** The maximum lifetime of its pushed requests (FAPI 2.0 SP §5.3.2.2: less than 600 seconds). */
  readonly longestPushedRequestLifetime: DurationSeconds | undefined
}

const standard: ProfileRules = {
  requiresPushedRequests: false,
  requiresRequestObjects: false,
  requiresSignedBackchannelRequests: false,
  requestObjectLifetime: undefined,
  authenticationMethods: undefined,
  requiresStringAudience: false,
  algorithms: undefined,
  requiresSenderConstraint: false,
  rotatesRefreshTokens: true,
  requiresPkce: false,
  requiresResource: false,
  omitsScopes: true,
  requiresAuthenticationContext: false,
  identityOnly: false,
  requiresHttpsRedirects: false,
  requiresRegistration: false,
  grantTypes: undefined,
  longestCodeLifetime: undefined,
  longestPushedRequestLifetime: undefined,
}

/** The algorithms of FAPI 2.0 SP §5.4.1 and of the Common Requirements of IPSIE, "Cryptography and Secrets". */
const strongAlgorithms = ['PS256', 'ES256', 'EdDSA', 'Ed25519']

const fapi2: ProfileRules = {
  ...standard,
  requiresPushedRequests: true,
  requiresSignedBackchannelRequests: true,
  authenticationMethods: ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'],
  requiresStringAudience: true,
  algorithms: strongAlgorithms,
  requiresSenderConstraint: true,
  rotatesRefreshTokens: false,
  requiresPkce: true,
  omitsScopes: false,
  longestCodeLifetime: seconds(60),
  longestPushedRequestLifetime: seconds(599),
}

/**
 * The Model Context Protocol (Authorization, 2026-07-28). Its clients are public or authenticate with a private key.
 * The server meets the protocol's other rules for every client: responses name the issuer, redirect URIs match exactly,
 * and refresh tokens of public clients rotate.
 */
const mcp: ProfileRules = {
  ...standard,
  authenticationMethods: ['none', 'private_key_jwt'],
  requiresPkce: true,
  requiresResource: true,
}

/**
 * IPSIE SL1, the OpenID Connect profile for enterprises (draft of 2 September 2025), with its Common Requirements. Its
 * clients may be public. The server meets the profile's other rules for every client: the response type is `code`,
 * responses name the issuer, redirect URIs match exactly, codes are used once, and ID tokens have one audience and
 * `auth_time`.
 */
const ipsie: ProfileRules = {
  ...standard,
  requiresStringAudience: true,
  algorithms: strongAlgorithms,
  requiresPkce: true,
  requiresAuthenticationContext: true,
  identityOnly: true,
  requiresHttpsRedirects: true,
  requiresRegistration: true,
  grantTypes: ['authorization_code', 'refresh_token'],
  longestCodeLifetime: seconds(60),
}

const profiles = {
  standard,
  mcp,
  fapi2,
  fapi2_message_signing: { ...fapi2, requiresRequestObjects: true, requestObjectLifetime: seconds(3600) },
  ipsie_sl1: ipsie,
} as const satisfies Readonly<Record<string, ProfileRules>>

/**
 * A set of rules for a client: the rules of OAuth and OpenID Connect, of the Model Context Protocol, of FAPI 2.0, or of
 * IPSIE.
 */
export type SecurityProfile = keyof typeof profiles

export const securityProfiles = [
  'standard',
  'mcp',
  'fapi2',
  'fapi2_message_signing',
  'ipsie_sl1',
] as const satisfies SecurityProfile[]

/** The profile whose rules a server applies to every client. */
export interface ProfileSettings {
  readonly minimumProfile: SecurityProfile
}

/**
 * Returns the rules of a client's profile, combined with the server's minimum. An unknown profile gets the strictest
 * rules.
 */
export function profileRules(
  { profile }: Pick<ClientRecord, 'profile'>,
  { minimumProfile }: ProfileSettings,
): ProfileRules {
  const known = securityProfiles.find((name) => name === profile) ?? 'fapi2_message_signing'
  return combinedRules[known][minimumProfile]
}

/** Combines two sets of rules so that both are met. */
const combine = (one: ProfileRules, other: ProfileRules): ProfileRules => ({
  requiresPushedRequests: one.requiresPushedRequests || other.requiresPushedRequests,
  requiresRequestObjects: one.requiresRequestObjects || other.requiresRequestObjects,
  requiresSignedBackchannelRequests: one.requiresSignedBackchannelRequests || other.requiresSignedBackchannelRequests,
  requestObjectLifetime: one.requestObjectLifetime ?? other.requestObjectLifetime,
  authenticationMethods: intersection(one.authenticationMethods, other.authenticationMethods),
  requiresStringAudience: one.requiresStringAudience || other.requiresStringAudience,
  algorithms: intersection(one.algorithms, other.algorithms),
  requiresSenderConstraint: one.requiresSenderConstraint || other.requiresSenderConstraint,
  rotatesRefreshTokens: one.rotatesRefreshTokens && other.rotatesRefreshTokens,
  requiresPkce: one.requiresPkce || other.requiresPkce,
  requiresResource: one.requiresResource || other.requiresResource,
  omitsScopes: one.omitsScopes && other.omitsScopes,
  requiresAuthenticationContext: one.requiresAuthenticationContext || other.requiresAuthenticationContext,
  identityOnly: one.identityOnly || other.identityOnly,
  requiresHttpsRedirects: one.requiresHttpsRedirects || other.requiresHttpsRedirects,
  requiresRegistration: one.requiresRegistration || other.requiresRegistration,
  grantTypes: intersection(one.grantTypes, other.grantTypes),
  longestCodeLifetime: one.longestCodeLifetime ?? other.longestCodeLifetime,
  longestPushedRequestLifetime: one.longestPushedRequestLifetime ?? other.longestPushedRequestLifetime,
})

const intersection = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value))

const combineWithEach = (one: ProfileRules) => ({
  standard: combine(one, standard),
  mcp: combine(one, mcp),
  fapi2: combine(one, profiles.fapi2),
  fapi2_message_signing: combine(one, profiles.fapi2_message_signing),
  ipsie_sl1: combine(one, ipsie),
})

/** The combined rules of each pair of profiles. They are computed once, so that a request only looks them up. */
const combinedRules = {
  standard: combineWithEach(standard),
  mcp: combineWithEach(mcp),
  fapi2: combineWithEach(fapi2),
  fapi2_message_signing: combineWithEach(profiles.fapi2_message_signing),
  ipsie_sl1: combineWithEach(ipsie),
} as const satisfies Readonly<Record<SecurityProfile, Readonly<Record<SecurityProfile, ProfileRules>>>>

/** Returns the rules of the server's minimum, without a client's. */
export const minimumRules = ({ minimumProfile }: ProfileSettings): ProfileRules => profiles[minimumProfile]

/**
 * Finds everything in a client's registration that the rules forbid.
 * @returns clauses for the client's administrator; an empty list if the registration meets the rules.
 */
export function contradictions(client: ClientRecord, rules: ProfileRules): readonly string[] {
  const { authenticationMethods: methods, algorithms } = rules
  const found: string[] = []
  if (methods?.includes(client.tokenEndpointAuthMethod) === false)
    found.push(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
  if (rules.requiresStringAudience && client.allowTokenEndpointAudience)
    found.push('allow_token_endpoint_audience must be false')
  for (const [name, algorithm] of chosenAlgorithms(client)) {
    if (algorithm !== undefined && algorithms?.includes(algorithm) === false)
      found.push(`${name} must be one of ${algorithms.join(', ')}`)
  }
  const isSigner = client.tokenEndpointAuthMethod === 'private_key_jwt'
  if (
    isSigner &&
    algorithms !== undefined &&
    client.jwks !== undefined &&
    !hasSigningKey(readKeySet(client.jwks), algorithms)
  )
    found.push(`jwks must contain a key for one of ${algorithms.join(', ')}`)
  const bindsTokens = client.dpopBoundAccessTokens || client.tlsClientCertificateBoundAccessTokens
  if (rules.requiresSenderConstraint && getsTokens(client) && !bindsTokens)
    found.push('dpop_bound_access_tokens or tls_client_certificate_bound_access_tokens must be true')
  const isUnsigned = client.backchannelAuthenticationRequestSigningAlg === undefined
  if (rules.requiresSignedBackchannelRequests && client.grantTypes.includes(cibaGrantType) && isUnsigned)
    found.push('backchannel_authentication_request_signing_alg must be set')
  return [...found, ...contradictedUse(client, rules)]
}

/** Finds what the rules forbid of how a client may be used. */
function contradictedUse(client: ClientRecord, rules: ProfileRules): readonly string[] {
  const { grantTypes } = rules
  const found: string[] = []
  if (client.grantTypes.some((name) => grantTypes?.includes(name) === false))
    found.push(`grant_types must be among ${grantTypes?.join(', ')}`)
  if (rules.requiresHttpsRedirects && !client.redirectUris.every((uri) => uri.startsWith('https:')))
    found.push('redirect_uris must use https')
  if (rules.identityOnly && (client.resources ?? []).length > 0) found.push('resources must be empty')
  if (rules.identityOnly && client.authorizationDetailsTypes.length > 0)
    found.push('authorization_details_types must be empty')
  if (rules.requiresRegistration && (client.origin === 'document' || client.origin === 'open_registration'))
    found.push('an administrator must have registered the client')
  return found
}

/** Whether the rules for tokens apply. An API that only introspects and reads the revocation feed has no grants. */
const getsTokens = ({ grantTypes }: ClientRecord): boolean => grantTypes.length > 0

const chosenAlgorithms = (client: ClientRecord): readonly (readonly [string, string | undefined])[] => [
  ['introspection_signed_response_alg', client.introspectionSignedResponseAlg],
  ...(getsTokens(client) ? algorithmsOfTokens(client) : []),
]

const algorithmsOfTokens = (client: ClientRecord): readonly (readonly [string, string | undefined])[] => [
  ['id_token_signed_response_alg', client.idTokenSignedResponseAlg],
  ['userinfo_signed_response_alg', client.userinfoSignedResponseAlg],
  ['authorization_signed_response_alg', client.authorizationSignedResponseAlg],
  ['request_object_signing_alg', client.requestObjectSigningAlg],
  ['backchannel_authentication_request_signing_alg', client.backchannelAuthenticationRequestSigningAlg],
]

/**
 * Returns the rules for a client's request.
 * @throws OAuthError unauthorized_client — reason `profile_contradicted`: the client was registered before the server
 *   demanded its profile, or directly in storage.
 */
export function requireProfile(client: ClientRecord, settings: ProfileSettings): ProfileRules {
  const rules = profileRules(client, settings)
  // If the client and the server both have the profile `standard`, as is usual, nothing is forbidden.
  if (rules === combinedRules.standard.standard) return rules
  // FAPI 2.0 SP §5.3.2: a client whose registration breaks the rules gets nothing.
  if (contradictions(client, rules).length > 0) throw refuse('profile_contradicted', { clientId: client.clientId })
  return rules
}

/**
 * Chooses the algorithm to sign with for a client.
 * @param preferred is chosen if the client's profile permits it.
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export function permittedAlgorithm(
  preferred: SigningAlgorithm,
  { algorithms: permitted }: ProfileRules,
  keys: SigningAlgorithms,
): SigningAlgorithm {
  if (permitted?.includes(preferred) !== false) return preferred
  const other = keys.algorithms.find((name) => permitted.includes(name))
  // FAPI 2.0 SP §5.4.1.
  if (other === undefined) throw refuse('signing_algorithm_unavailable')
  return other
}

/**
 * Checks, when a server is created, that it can meet its own minimum profile.
 * @throws TypeError that says what is missing.
 */
export function refuseInfeasibleMinimum(
  { minimumProfile }: ProfileSettings,
  server: {
    readonly keys: SigningAlgorithms
    readonly lifetimes: { readonly authorizationCode: number; readonly pushedRequest: number }
  },
): void {
  const { algorithms, longestCodeLifetime, longestPushedRequestLifetime } = profiles[minimumProfile]
  const refuseStart = (missing: string): never => {
    throw new TypeError(`Invalid options: minimumProfile ${minimumProfile}: ${missing}`)
  }
  if (algorithms !== undefined && !server.keys.algorithms.some((name) => algorithms.includes(name)))
    refuseStart(`the key ring signs with none of ${algorithms.join(', ')}.`)
  if (longestCodeLifetime !== undefined && server.lifetimes.authorizationCode > longestCodeLifetime)
    refuseStart(`lifetimes.authorizationCode must be at most ${longestCodeLifetime}.`)
  if (longestPushedRequestLifetime !== undefined && server.lifetimes.pushedRequest > longestPushedRequestLifetime)
    refuseStart(`lifetimes.pushedRequest must be at most ${longestPushedRequestLifetime}.`)
}
