import { aFunction, checkOptions, isJsonObject, required, type ServerRequest, aStorage } from '@mintmark/internal'
import {
  after,
  type ClientRecord,
  epochSeconds,
  type EpochSeconds,
  type JsonValue,
  type OAuthStorage,
  seconds,
} from '@mintmark/storage-interface'
import type { JSONWebKeySet, JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'

import { isCompactJws } from '../keys/verify-jwt.ts'
import { refuse } from '../refusals.ts'
import { clientAlgorithms, verifyWithKey, verifyWithKeys } from './client-jwt.ts'
import { isForUs, isUsableJti, unverifiedSubject } from './methods.ts'
import type { ClientAuthenticationMethod } from './own-authentication.ts'
import { isPublicKeySet, readKeySet } from './remote-key-set.ts'

/** Options of `attestedClients`. */
interface AttestedClientsOptions {
  /**
   * The server's storage. Its issuer is the audience of proofs of possession, and it records which proofs were used.
   */
  readonly storage: OAuthStorage
  /**
   * Returns the keys of the attester of a client; `undefined` when the client has none. The keys are trusted for this
   * client only, so two clients may have different attesters.
   */
  readonly attesterKeys: (client: ClientRecord) => Promise<JSONWebKeySet | undefined>
}

/**
 * Creates the method `attest_jwt_client_auth` for the option `clientAuthentication`. Each instance of a client has its
 * own key; the client's backend attests the key, and the instance proves that it holds the key (OAuth 2.0
 * Attestation-Based Client Authentication, draft of 6 October 2026). Refresh tokens are bound to the instance that
 * received them.
 * @experimental The draft may still change, and this function with it, in a minor version.
 * @throws TypeError that names the option and says what to change.
 */
export function attestedClients(options: AttestedClientsOptions): ClientAuthenticationMethod {
  checkOptions('attestedClients', options, { storage: required(aStorage), attesterKeys: required(aFunction) })
  return {
    method: 'attest_jwt_client_auth',
    read(request) {
      const attestation = headerOf(request, 'oauth-client-attestation')
      const proof = headerOf(request, 'oauth-client-attestation-pop')
      if (attestation === undefined && proof === undefined) return undefined
      if (!isJwt(attestation) || !isJwt(proof)) return { clientId: undefined, verify: () => Promise.resolve(false) }
      return {
        clientId: unverifiedSubject(attestation),
        verify: (client, now) => verifyInstance({ attestation, proof }, { client, now }, options),
      }
    },
  }
}

/**
 * Reads a header that must occur exactly once (draft §7.1). Returns a repeated header as an empty string, which is not
 * a JWT.
 */
const headerOf = ({ headers, repeatedHeaders }: ServerRequest, name: string): string | undefined =>
  repeatedHeaders.has(name) ? '' : headers.get(name)

const isJwt = (text: string | undefined): text is string => text !== undefined && isCompactJws(text)

interface Presentation {
  readonly client: ClientRecord
  readonly now: EpochSeconds
}

/**
 * Verifies the attestation of a client's instance and its proof of possession.
 * @throws OAuthError use_fresh_attestation — reason `attestation_expired`.
 */
async function verifyInstance(
  presented: { readonly attestation: string; readonly proof: string },
  { client, now }: Presentation,
  { storage, attesterKeys }: AttestedClientsOptions,
): Promise<false | { readonly instanceKey: string }> {
  const keys = await attesterKeys(client)
  const attestation = keys && (await verifyWithKeys(keys, presented.attestation, clientAlgorithms))
  if (attestation?.header.typ !== 'oauth-client-attestation+jwt') return false
  // Draft §7.1: the attestation contains the key that it attests. The client was found by the attestation's subject.
  const { iat, exp, nbf, cnf } = attestation.claims
  const jwk = keyOf(cnf)
  if (!isTime(iat) || !isTime(exp) || !hasBegun(nbf, now) || jwk === undefined) return false

  const proof = await verifyWithKey(jwk, presented.proof, clientAlgorithms)
  if (proof?.header.typ !== 'oauth-client-attestation-pop+jwt') return false
  const { aud, jti, iat: provenAt } = proof.claims
  // Draft §7.2: the proof is for this server, and was created just now.
  if (!isForUs(aud, [storage.issuer]) || !isUsableJti(jti) || !isTime(provenAt)) return false
  if (provenAt < now - maxAge || provenAt > now + clockSkew) return false
  // Draft §5.1: the proof must also be valid now as a JWT (RFC 7519 §4.1.4, §4.1.5).
  const { exp: usableUntil, nbf: usableFrom } = proof.claims
  const isExpired = usableUntil !== undefined && !(isTime(usableUntil) && now < usableUntil + clockSkew)
  if (isExpired || !hasBegun(usableFrom, now)) return false
  // Draft §7.4: the instance is proven to be genuine, so it may learn that its attestation is too old.
  if (iat > now + clockSkew || !(now < exp)) throw refuse('attestation_expired', { clientId: client.clientId })

  const instanceKey = await calculateJwkThumbprint(jwk)
  // Draft §12.1: a proof is accepted once. It is recorded last, so that only genuine proofs are recorded.
  const used = await storage.replays.markUsed({
    purpose: 'client_assertion_jti',
    // No part contains a line break. An assertion of `private_key_jwt` is recorded with two parts, so the values never
    // collide.
    value: `${client.clientId}\n${instanceKey}\n${jti}`,
    expiresAt: after(epochSeconds(Math.ceil(provenAt)), seconds(maxAge + 1)),
    now,
  })
  return used.outcome === 'fresh' && { instanceKey }
}

/** Reads the public key of the instance (RFC 7800 §3.2). No other confirmation method is accepted. */
function keyOf(cnf: JsonValue | undefined): JWK | undefined {
  const keySet = isJsonObject(cnf) ? readKeySet({ keys: [cnf['jwk']] }) : undefined
  return isPublicKeySet(keySet) ? keySet?.keys[0] : undefined
}

const isTime = (value: JsonValue | undefined): value is number => typeof value === 'number' && value > 0

/** RFC 7519 §4.1.5: a JWT is not accepted before this time. */
const hasBegun = (nbf: JsonValue | undefined, now: EpochSeconds): boolean =>
  nbf === undefined || (isTime(nbf) && nbf <= now + clockSkew)

/** In seconds: how old a proof may be, and how far ahead the clock of an instance may be. */
const maxAge = 60
const clockSkew = 10
