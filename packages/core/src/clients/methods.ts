// One file: all built-in methods of client authentication.

import { decodeBody, decodeComponent, digestSecret, equalInConstantTime, type ServerRequest } from '@mintmark/internal'
import {
  type ClientRecord,
  type EpochSeconds,
  type JsonObject,
  type JsonValue,
  after,
  epochSeconds,
  seconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'
import { decodeJwt } from 'jose/jwt/decode'

import type { ClientAuthentication, CredentialProof, PresentedCredentials } from './authenticate.ts'
import { type CertificateDependencies, usesCertificate, verifyCertificate } from './certificate.ts'
import { clientAlgorithms, clockSkew, isShortLived, verifyClientJwt } from './client-jwt.ts'
import type { RemoteKeySets } from './remote-key-set.ts'
import { isCurrentWorkload, isWorkload, workloadMismatch } from './workload.ts'
import { profileRules, type ProfileSettings } from './security-profile.ts'
import { isCompactJws } from '../keys/verify-jwt.ts'
import type { MutualTls } from '../sender/client-certificate.ts'
import { addressesOf } from '../sender/prove-possession.ts'

/** `client_secret_basic`: the client sends its identifier and secret in the Authorization header (RFC 6749 §2.3.1). */
export const clientSecretBasic: ClientAuthentication = {
  method: 'client_secret_basic',
  read(request) {
    if (!request.headers.has('authorization')) return undefined
    const credentials = readBasicCredentials(request)

    return {
      method: 'client_secret_basic',
      clientId: credentials?.clientId,
      verify: (client, now) => verifyClientSecret(credentials?.secret ?? '', client, now),
    }
  },
}

/**
 * Reads and form-decodes the identifier and the secret; `undefined` for another scheme and for malformed credentials.
 */
function readBasicCredentials(request: ServerRequest): { clientId: string; secret: string } | undefined {
  // RFC 9110 §11.1: the scheme's name is case-insensitive.
  const match = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(request.headers.get('authorization') ?? '')
  if (match?.[1] === undefined) return undefined
  const pair = decodeBase64(match[1])
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon === -1) return undefined

  // RFC 6749 §2.3.1: both are form-encoded before they are joined, so a colon in the identifier is escaped.
  const clientId = decodeComponent(pair.slice(0, colon))
  const secret = decodeComponent(pair.slice(colon + 1))
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret }
}

function decodeBase64(text: string): string | undefined {
  try {
    const bytes = atob(text)
    // Form-encoded credentials are ASCII. Clients that omit the encoding are accepted if the bytes are UTF-8.
    return /^[ -~]*$/.test(bytes) ? bytes : decodeBody(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
  } catch {
    // `atob` throws on malformed input.
    return undefined
  }
}

/** `client_secret_post`: the client sends its identifier and secret as form parameters (RFC 6749 §2.3.1). */
export const clientSecretPost: ClientAuthentication = {
  method: 'client_secret_post',
  read(_request, form) {
    const secret = form.get('client_secret')
    if (secret === undefined) return undefined

    return {
      method: 'client_secret_post',
      clientId: form.get('client_id'),
      verify: (client, now) => verifyClientSecret(secret, client, now),
    }
  },
}

/**
 * `none`: a public client identifies itself without proof; PKCE and its redirect URIs protect it (RFC 9700 §2.1.1). The
 * request of a client that authenticates with its certificate looks the same (RFC 8705 §2), so the registration decides
 * what is verified.
 */
export const publicClient = (deps: CertificateDependencies): ClientAuthentication => ({
  method: 'none',
  read(request, form) {
    const clientId = form.get('client_id')
    const hasOtherCredentials =
      request.headers.has('authorization') ||
      form.get('client_secret') !== undefined ||
      form.get('client_assertion') !== undefined
    if (clientId === undefined || hasOtherCredentials) return undefined

    return {
      method: 'none',
      clientId,
      verify: async (client, now) =>
        client !== undefined && usesCertificate(client) ? verifyCertificate(request, { client, now }, deps) : {},
    }
  },
})

/**
 * Verifies that the presented secret is an active secret of the client. The same work is done for an unknown client, a
 * wrong secret and an expired secret: one digest, and the same number of comparisons.
 */
export async function verifyClientSecret(
  presented: string,
  client: ClientRecord | undefined,
  now: EpochSeconds,
): Promise<CredentialProof | undefined> {
  const digesting = digestSecret(presented)
  const digest = digesting instanceof Promise ? await digesting : digesting
  const secrets = client?.secrets ?? []

  let matched: SecretDigest | undefined
  for (let slot = 0; slot < maxActiveSecrets; slot += 1) {
    const secret = secrets[slot]
    const isEqual = equalInConstantTime(digest, secret?.digest ?? emptySlot)
    const isActive = secret !== undefined && (secret.expiresAt === undefined || now < secret.expiresAt)
    if (isEqual && isActive) matched = secret.digest
  }
  return matched === undefined ? undefined : { usedSecret: matched }
}

/** A client has at most two active secrets: the current one and its replacement. */
export const maxActiveSecrets = 2

/** As long as a digest but never equal to one: base64url contains no dot. */
const emptySlot = '.'.repeat(43)

interface PrivateKeyJwtDependencies extends ProfileSettings {
  readonly issuer: string
  readonly mutualTls: MutualTls | undefined
  readonly storage: OAuthStorage
  readonly keySets: RemoteKeySets
}

/**
 * `private_key_jwt`: the client sends an assertion that it signed for this server only (RFC 7523 §3, OIDC Core §9), or
 * one that its platform signed.
 */
export const privateKeyJwt = (deps: PrivateKeyJwtDependencies): ClientAuthentication => ({
  method: 'private_key_jwt',
  read(_request, form) {
    const assertion = form.get('client_assertion')
    const type = form.get('client_assertion_type')
    if (assertion === undefined && type === undefined) return undefined

    const isReadable =
      assertion !== undefined && (type === assertionType || type === svidType) && isCompactJws(assertion)
    return {
      method: 'private_key_jwt',
      clientId: isReadable ? clientOf(assertion, form.get('client_id')) : undefined,
      async verify(client, now) {
        if (client === undefined || !isReadable) return undefined
        if (isWorkload(client)) return verifyWorkload(assertion, { client, now }, deps)
        return type === assertionType ? verifyAssertion(assertion, { client, now }, deps) : undefined
      },
    }
  },
})

interface Presentation {
  readonly client: ClientRecord
  readonly now: EpochSeconds
}

/**
 * Returns the client that an assertion is about. RFC 7521 §4.2: client_id may be left out, because the subject of an
 * assertion that the client signed names the client. One that its platform signed names a workload.
 */
function clientOf(assertion: string, named: string | undefined): string | undefined {
  const { iss, sub } = unverifiedClaims(assertion)
  const subject = typeof sub === 'string' ? sub : undefined
  return iss === sub ? subject : (named ?? subject)
}

async function verifyWorkload(
  assertion: string,
  { client, now }: Presentation & { readonly client: { readonly workload: JsonObject } },
  deps: PrivateKeyJwtDependencies,
): ReturnType<PresentedCredentials['verify']> {
  const { algorithms = clientAlgorithms } = profileRules(client, deps)
  const verified = await verifyClientJwt(assertion, { client, algorithms, now }, deps.keySets)
  if (verified === undefined || !isAssertionType(verified.header.typ)) return undefined
  const { claims } = verified
  const mismatch = workloadMismatch(claims, client.workload)
  if (mismatch !== undefined) return { reason: 'client_workload_wrong', context: { workload: mismatch } }
  const context = { presentedAudience: claims['aud'] ?? null, expectedAudience: [deps.issuer] }
  // RFC 7523 §3: platforms issue JWTs for any audience that the workload names, and by default for other servers.
  if (!isForUs(claims['aud'], [deps.issuer])) return { reason: 'client_assertion_audience', context }
  return isCurrentWorkload(claims, now) ? {} : undefined
}

async function verifyAssertion(
  assertion: string,
  presentation: Presentation,
  deps: PrivateKeyJwtDependencies,
): ReturnType<PresentedCredentials['verify']> {
  const { client, now } = presentation
  const { algorithms = clientAlgorithms, requiresStringAudience } = profileRules(client, deps)
  const verified = await verifyClientJwt(assertion, { client, algorithms, now }, deps.keySets)
  if (verified === undefined || !isAssertionType(verified.header.typ)) return undefined
  const { claims } = verified
  if (!isAbout(claims, client) || !isShortLived(claims, now, maxLifetime)) return undefined
  const expectedAudience = acceptedAudiences(client, deps)
  // FAPI 2.0 SP §5.3.2.1: the audience is a string, not an array.
  const isWrongType = requiresStringAudience && typeof claims['aud'] !== 'string'
  if (isWrongType || !isForUs(claims['aud'], expectedAudience)) {
    // The client signed it, so the audience is safe to show to an operator.
    const context = { presentedAudience: claims['aud'] ?? null, expectedAudience }
    return { reason: 'client_assertion_audience', context }
  }

  // RFC 7523 §3: a jti is accepted once. It is recorded last, so that only genuine assertions are recorded.
  const { jti, exp } = claims
  if (!isUsableJti(jti)) return undefined
  const claimed = await deps.storage.replays.markUsed({
    purpose: 'client_assertion_jti',
    // Neither part contains a line break, so two clients never share a value.
    value: `${client.clientId}\n${jti}`,
    expiresAt: after(epochSeconds(Number(exp)), seconds(clockSkew)),
    now,
  })
  return claimed.outcome === 'fresh' ? {} : undefined
}

/**
 * Whether the value is a short printable string, and not a name that every JavaScript object inherits: a store that
 * uses plain objects would find an entry of such a name.
 */
export const isUsableJti = (jti: unknown): jti is string =>
  typeof jti === 'string' && /^[\x20-\x7E]{1,256}$/.test(jti) && !(jti in Object.prototype)

/** RFC 7523 §3: issuer and subject are the client. */
const isAbout = ({ iss, sub }: JsonObject, { clientId }: ClientRecord): boolean => iss === clientId && sub === clientId

/**
 * Returns the issuer, and for a client with `allowTokenEndpointAudience` also the URL of the token endpoint, which RFC
 * 7523 §3 and OIDC Core §9 permit. It is not the default, because a malicious server can make its clients sign for this
 * URL.
 */
const acceptedAudiences = (
  { allowTokenEndpointAudience }: ClientRecord,
  { issuer, mutualTls }: PrivateKeyJwtDependencies,
): readonly string[] =>
  allowTokenEndpointAudience ? [issuer, ...addressesOf(`${issuer}/token`, mutualTls?.aliasOrigin)] : [issuer]

/**
 * Whether the JWT is for this server (RFC 7523 §3), and for no other one, which could replay it. A single audience is a
 * string or an array with one element (RFC 7519 §4.1.3).
 */
export function isForUs(aud: JsonValue | undefined, accepted: readonly string[]): boolean {
  const audiences = Array.isArray(aud) ? aud : [aud]
  return audiences.length === 1 && accepted.some((audience) => audience === audiences[0])
}

/**
 * Whether the `typ` is right for a client assertion. JWTs that the client signed for other purposes, such as request
 * objects or DPoP proofs, have another `typ` (RFC 8725 §3.11).
 */
const isAssertionType = (type: string | undefined): boolean =>
  type === undefined || ['jwt', 'client-authentication+jwt'].includes(type.toLowerCase())

/** Reads the `sub` of a JWT without verifying the JWT. */
export function unverifiedSubject(jwt: string): string | undefined {
  const { sub } = unverifiedClaims(jwt)
  return typeof sub === 'string' ? sub : undefined
}

function unverifiedClaims(jwt: string): { readonly iss?: unknown; readonly sub?: unknown } {
  try {
    return decodeJwt<{ iss: unknown; sub: unknown }>(jwt)
  } catch {
    // jose throws on a payload that is not a JSON object.
    return {}
  }
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The assertion is a JWT-SVID of the workload (OAuth SPIFFE Client Authentication §3.1). */
const svidType = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe'

/** In seconds: how far in the future an assertion may expire. */
const maxLifetime = 330
