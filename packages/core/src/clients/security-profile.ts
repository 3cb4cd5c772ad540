import { type ClientRecord, type DurationSeconds, seconds } from '@mintmark/storage-interface'

import type { SigningAlgorithm, SigningAlgorithms } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'

/** What a security profile demands of a client and of the server's responses to it. */
export interface ProfileRules {
  /** Its authorization requests must be pushed (FAPI 2.0 SP §5.3.2.2). */
  readonly requiresPushedRequests: boolean
  /** Its authorization requests must be signed (FAPI 2.0 MS §5.3). */
  readonly requiresRequestObjects: boolean
  /** How long its request objects may be valid, and how old they may be (FAPI 2.0 MS §5.3.1). */
  readonly requestObjectLifetime: DurationSeconds | undefined
  /** How it may authenticate; `undefined` means in every way that the server has. */
  readonly authenticationMethods: readonly string[] | undefined
  /** Its assertions name the issuer as a text, and not in a list (FAPI 2.0 SP §5.3.2.1). */
  readonly requiresAudienceText: boolean
  /** The algorithms of everything that it signs and that is signed for it; `undefined` means those of the server. */
  readonly algorithms: readonly string[] | undefined
  /** Its access tokens must be bound to a key of its own (FAPI 2.0 SP §5.3.2.1). */
  readonly requiresSenderConstraint: boolean
  /** Whether its refresh tokens rotate (FAPI 2.0 SP §5.3.2.1 forbids it). */
  readonly rotatesRefreshTokens: boolean
  /** Whether it needs PKCE, whatever it is registered for (FAPI 2.0 SP §5.3.2.2). */
  readonly requiresPkce: boolean
  /** Whether each of its requests names the API that the tokens are for (MCP 2026-07-28, Authorization, "Resource Parameter Implementation"). */
  readonly requiresResource: boolean
  /** The longest life of its codes (FAPI 2.0 SP §5.3.2.1). */
  readonly longestCodeLifetime: DurationSeconds | undefined
}

const standard: ProfileRules = {
  requiresPushedRequests: false,
  requiresRequestObjects: false,
  requestObjectLifetime: undefined,
  authenticationMethods: undefined,
  requiresAudienceText: false,
  algorithms: undefined,
  requiresSenderConstraint: false,
  rotatesRefreshTokens: true,
  requiresPkce: false,
  requiresResource: false,
  longestCodeLifetime: undefined,
}

const fapi2: ProfileRules = {
  requiresPushedRequests: true,
  requiresRequestObjects: false,
  requestObjectLifetime: undefined,
  authenticationMethods: ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'],
  requiresAudienceText: true,
  algorithms: ['PS256', 'ES256', 'EdDSA'],
  requiresSenderConstraint: true,
  rotatesRefreshTokens: false,
  requiresPkce: true,
  requiresResource: false,
  longestCodeLifetime: seconds(60),
}

/**
 * The Model Context Protocol (Authorization, 2026-07-28): its clients are public, or have a key of their own. That responses
 * name the issuer, that redirect URIs are exact and that refresh tokens of public clients rotate holds for every client.
 */
const mcp: ProfileRules = {
  ...standard,
  authenticationMethods: ['none', 'private_key_jwt'],
  requiresPkce: true,
  requiresResource: true,
}

const profiles = {
  standard,
  mcp,
  fapi2,
  fapi2_message_signing: { ...fapi2, requiresRequestObjects: true, requestObjectLifetime: seconds(3600) },
} as const satisfies Readonly<Record<string, ProfileRules>>

/** A set of rules for a client: those of the OAuth and OpenID Connect standards, of the Model Context Protocol, or of FAPI 2.0. */
export type SecurityProfile = keyof typeof profiles

export const securityProfiles = [
  'standard',
  'mcp',
  'fapi2',
  'fapi2_message_signing',
] as const satisfies SecurityProfile[]

/** The least that a server demands of every client. */
export interface ProfileSettings {
  readonly minimumProfile: SecurityProfile
}

/** The rules of a client's profile together with those of the server's minimum. An unknown profile has the strictest. */
export function profileRules({ profile }: ClientRecord, { minimumProfile }: ProfileSettings): ProfileRules {
  const known = securityProfiles.find((name) => name === profile) ?? 'fapi2_message_signing'
  return combined[known][minimumProfile]
}

/** Keeps the rules of both. */
const both = (one: ProfileRules, other: ProfileRules): ProfileRules => ({
  requiresPushedRequests: one.requiresPushedRequests || other.requiresPushedRequests,
  requiresRequestObjects: one.requiresRequestObjects || other.requiresRequestObjects,
  requestObjectLifetime: one.requestObjectLifetime ?? other.requestObjectLifetime,
  authenticationMethods: common(one.authenticationMethods, other.authenticationMethods),
  requiresAudienceText: one.requiresAudienceText || other.requiresAudienceText,
  algorithms: common(one.algorithms, other.algorithms),
  requiresSenderConstraint: one.requiresSenderConstraint || other.requiresSenderConstraint,
  rotatesRefreshTokens: one.rotatesRefreshTokens && other.rotatesRefreshTokens,
  requiresPkce: one.requiresPkce || other.requiresPkce,
  requiresResource: one.requiresResource || other.requiresResource,
  longestCodeLifetime: one.longestCodeLifetime ?? other.longestCodeLifetime,
})

const common = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value))

const withEach = (one: ProfileRules) => ({
  standard: both(one, standard),
  mcp: both(one, mcp),
  fapi2: both(one, profiles.fapi2),
  fapi2_message_signing: both(one, profiles.fapi2_message_signing),
})

/** The rules of each two profiles, made once: a request looks them up. */
const combined = {
  standard: withEach(standard),
  mcp: withEach(mcp),
  fapi2: withEach(fapi2),
  fapi2_message_signing: withEach(profiles.fapi2_message_signing),
} as const satisfies Readonly<Record<SecurityProfile, Readonly<Record<SecurityProfile, ProfileRules>>>>

/** The rules of the server's minimum alone. */
export const minimumRules = ({ minimumProfile }: ProfileSettings): ProfileRules => profiles[minimumProfile]

/**
 * Everything in a client's registration that its profile forbids, as sentences for its administrator.
 * @returns an empty list for a client that fits.
 */
export function contradictions(client: ClientRecord, rules: ProfileRules): readonly string[] {
  const { authenticationMethods: methods, algorithms } = rules
  const found: string[] = []
  if (methods?.includes(client.tokenEndpointAuthMethod) === false)
    found.push(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
  if (rules.requiresAudienceText && client.allowTokenEndpointAudience)
    found.push('allow_token_endpoint_audience must be false')
  for (const [name, algorithm] of chosenAlgorithms(client)) {
    if (algorithm !== undefined && algorithms?.includes(algorithm) === false)
      found.push(`${name} must be one of ${algorithms.join(', ')}`)
  }
  if (rules.requiresSenderConstraint && !client.dpopBoundAccessTokens && !client.tlsClientCertificateBoundAccessTokens)
    found.push('dpop_bound_access_tokens or tls_client_certificate_bound_access_tokens must be true')
  return found
}

const chosenAlgorithms = (client: ClientRecord): readonly (readonly [string, string | undefined])[] => [
  ['id_token_signed_response_alg', client.idTokenSignedResponseAlg],
  ['userinfo_signed_response_alg', client.userinfoSignedResponseAlg],
  ['authorization_signed_response_alg', client.authorizationSignedResponseAlg],
  ['introspection_signed_response_alg', client.introspectionSignedResponseAlg],
  ['request_object_signing_alg', client.requestObjectSigningAlg],
]

/**
 * The rules for a request of a client.
 * @throws OAuthError unauthorized_client — reason `profile_contradicted`: the client was registered before the server
 *   demanded its profile, or directly in storage.
 */
export function requireProfile(client: ClientRecord, settings: ProfileSettings): ProfileRules {
  const rules = profileRules(client, settings)
  // FAPI 2.0 SP §5.2.2: a client that does not keep the rules gets nothing.
  if (contradictions(client, rules).length > 0) throw refuse('profile_contradicted', { clientId: client.clientId })
  return rules
}

/**
 * The algorithm to sign with for a client.
 * @param preferred the one to use if its profile permits it.
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
 * Refuses to start a server that could not keep its own minimum.
 * @throws TypeError that says what is missing.
 */
export function refuseUnkeptMinimum(
  { minimumProfile }: ProfileSettings,
  server: { readonly keys: SigningAlgorithms; readonly codeLifetime: number },
): void {
  const { algorithms, longestCodeLifetime } = profiles[minimumProfile]
  const refuseStart = (missing: string): never => {
    throw new TypeError(`Invalid options: minimumProfile ${minimumProfile}: ${missing}`)
  }
  if (algorithms !== undefined && !server.keys.algorithms.some((name) => algorithms.includes(name)))
    refuseStart(`the key ring signs with none of ${algorithms.join(', ')}.`)
  if (longestCodeLifetime !== undefined && server.codeLifetime > longestCodeLifetime)
    refuseStart(`lifetimes.authorizationCode must be at most ${longestCodeLifetime}.`)
}
