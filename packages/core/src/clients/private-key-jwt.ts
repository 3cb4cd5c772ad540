import {
  after,
  epochSeconds,
  seconds,
  type ClientRecord,
  type EpochSeconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import type { JSONWebKeySet, JWTHeaderParameters, JWTPayload } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'

import { isCompactJws } from '../keys/jws.ts'
import type { ClientAuthentication } from './authenticate.ts'
import { readKeySet, type RemoteKeySets } from './remote-key-set.ts'

interface PrivateKeyJwtDependencies {
  readonly issuer: string
  readonly storage: OAuthStorage
  readonly keySets: RemoteKeySets
}

/** `private_key_jwt`: an assertion that the client signed for this server only (RFC 7523 §3, OIDC Core §9). */
export const privateKeyJwt = (deps: PrivateKeyJwtDependencies): ClientAuthentication => ({
  method: 'private_key_jwt',
  read(_request, form) {
    const assertion = form.get('client_assertion')
    const type = form.get('client_assertion_type')
    if (assertion === undefined && type === undefined) return undefined

    const isReadable = assertion !== undefined && type === assertionType && isCompactJws(assertion)
    return {
      method: 'private_key_jwt',
      // RFC 7521 §4.2: client_id may be left out; the assertion's subject names the client.
      clientId: isReadable ? unverifiedSubject(assertion) : undefined,
      verify: async (client, now) => {
        const isProven = client !== undefined && isReadable && (await isGenuine(assertion, { client, now }, deps))
        return isProven ? {} : undefined
      },
    }
  },
})

/** The algorithms that an assertion may be signed with: asymmetric ones only (RFC 8725 §3.1). */
export const assertionAlgorithms: readonly string[] = ['ES256', 'RS256', 'PS256', 'EdDSA']

interface Presentation {
  readonly client: ClientRecord
  readonly now: EpochSeconds
}

async function isGenuine(
  assertion: string,
  presentation: Presentation,
  deps: PrivateKeyJwtDependencies,
): Promise<boolean> {
  const { client, now } = presentation
  const payload = await verifySignature(assertion, presentation, deps.keySets)
  if (payload === undefined || !isForUs(payload, client, deps.issuer) || !isShortLived(payload, now)) return false

  // RFC 7523 §3: a jti is accepted once. It is recorded last, so only a genuine assertion uses it up.
  const { jti, exp = 0 } = payload
  if (!isUsableJti(jti)) return false
  const claimed = await deps.storage.replays.markUsed({
    purpose: 'client_assertion_jti',
    // Neither part contains a line break, so two clients never share a value.
    value: `${client.clientId}\n${jti}`,
    expiresAt: after(epochSeconds(exp), seconds(clockSkew)),
    now,
  })
  return claimed.outcome === 'fresh'
}

/**
 * Short printable text, except names that every JavaScript object inherits: a store that uses plain objects would find
 * them.
 */
const isUsableJti = (jti: unknown): jti is string =>
  typeof jti === 'string' && /^[\x20-\x7E]{1,256}$/.test(jti) && !(jti in Object.prototype)

/**
 * RFC 7523 §3: issuer and subject are the client, and the only audience is this issuer. A list of audiences would
 * permit replay at another server.
 */
const isForUs = (payload: JWTPayload, client: ClientRecord, issuer: string): boolean =>
  payload.iss === client.clientId && payload.sub === client.clientId && payload.aud === issuer

/** RFC 7523 §3: it expires soon, which keeps the list of used `jti` values short. */
function isShortLived({ exp, iat, nbf }: JWTPayload, now: EpochSeconds): boolean {
  if (typeof exp !== 'number' || !(now < exp) || exp > now + maxLifetime) return false
  return [iat, nbf].every((time) => time === undefined || (typeof time === 'number' && time <= now + clockSkew))
}

async function verifySignature(
  assertion: string,
  { client, now }: Presentation,
  keySets: RemoteKeySets,
): Promise<JWTPayload | undefined> {
  if (client.jwksUri === undefined) return verifyWith(readKeySet(client.jwks), assertion, now)
  const kept = await verifyWith(await keySets.read(client.jwksUri, 'kept', now), assertion, now)
  // The client may have published a new key since its set was read.
  return kept ?? verifyWith(await keySets.read(client.jwksUri, 'refresh', now), assertion, now)
}

async function verifyWith(
  keySet: JSONWebKeySet | undefined,
  assertion: string,
  now: EpochSeconds,
): Promise<JWTPayload | undefined> {
  if (keySet === undefined) return undefined
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(keySet), {
      algorithms: [...assertionAlgorithms],
      currentDate: new Date(now * 1000),
      clockTolerance: clockSkew,
    })
    return isAssertionHeader(protectedHeader) ? payload : undefined
  } catch {
    // jose throws on every invalid assertion and unsuitable key; the client gets the same answer for all of them.
    return undefined
  }
}

/**
 * Whether the header fits a client assertion. JWTs that the client signed for other purposes, such as request objects
 * or DPoP proofs, have another type (RFC 8725 §3.11); one whose payload is not base64url is not a JWT (RFC 7797 §7).
 */
const isAssertionHeader = ({ typ, b64 }: JWTHeaderParameters): boolean =>
  (typ === undefined || ['jwt', 'client-authentication+jwt'].includes(typ.toLowerCase())) && b64 === undefined

function unverifiedSubject(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt<{ sub: unknown }>(assertion)
    return typeof sub === 'string' ? sub : undefined
  } catch {
    // jose throws on a payload that is not a JSON object.
    return undefined
  }
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** In seconds: how far in the future an assertion may expire, and how much a client's clock may differ. */
const maxLifetime = 330
const clockSkew = 30
