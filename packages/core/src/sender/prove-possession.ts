import {
  encodeBase64url,
  equalInConstantTime,
  type Header,
  isProofFor,
  isProofRecent,
  type ParsedProof,
  parseProof,
  type ServerRequest,
  sha256,
} from '@mintmark/internal'
import {
  after,
  type Brand,
  type EpochSeconds,
  epochSeconds,
  type OAuthStorage,
  seconds,
} from '@mintmark/storage-interface'

import type { KeyRing } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'
import { createDpopNonces, longestNonceLifetime } from './dpop-nonce.ts'
import { createProofSignatures } from './proof-signatures.ts'
import type { ProvenPossession } from './proven-possession.ts'

/** Whether proofs must contain a nonce of the server, may contain one, or need none. */
export type DpopNoncePolicy = 'required' | 'offered' | 'off'

/** A genuine proof for one request. It may have been used before. */
export type VerifiedProof = Brand<
  {
    readonly jkt: string
    readonly jti: string
    readonly target: string
    /** From this time on, the proof is refused as too old. */
    readonly expiresAt: EpochSeconds
    /** Whether the response must contain the current nonce. */
    readonly needsNonce: boolean
  },
  'VerifiedProof'
>

/** What a proof must be for. */
interface ProofTarget {
  /**
   * The public URL of the endpoint, derived from the issuer, because a proxy may have changed the URL of the request.
   */
  readonly url: string
  /** The access token that is presented with the proof. */
  readonly accessToken?: string
}

/** Verifies DPoP proofs (RFC 9449). */
export interface DpopVerifier {
  /**
   * Verifies the proof of a request. It changes nothing, so a client that has to repeat the request with a nonce can do
   * so with the same assertion and code.
   * @throws OAuthError invalid_dpop_proof — reason `dpop_proof_missing` | `dpop_proof_malformed` | `dpop_signature` |
   *   `dpop_target` | `dpop_time` | `dpop_access_token_hash`; use_dpop_nonce — reason `dpop_nonce`.
   */
  verify(request: ServerRequest, target: ProofTarget, now: EpochSeconds): Promise<VerifiedProof>
  /**
   * Marks the proof as used.
   * @throws OAuthError invalid_dpop_proof — reason `dpop_replayed`.
   */
  use(proof: VerifiedProof, now: EpochSeconds): Promise<ProvenPossession>
  /** Returns the headers for the response to a request with this proof. */
  headers(proof: VerifiedProof, now: EpochSeconds): Promise<readonly Header[]>
}

export function createDpopVerifier(deps: {
  readonly issuer: string
  readonly keys: KeyRing
  readonly storage: OAuthStorage
  readonly nonces: DpopNoncePolicy
  /** The origin of the endpoints with mutual TLS (RFC 8705 §5). */
  readonly aliasOrigin?: string | undefined
}): DpopVerifier {
  const nonces = createDpopNonces(deps)
  const signatures = createProofSignatures()

  /**
   * Checks the time and the nonce of a proof.
   * @throws OAuthError invalid_dpop_proof — reason `dpop_time`; use_dpop_nonce — reason `dpop_nonce`.
   */
  async function checkTime(proof: ParsedProof, now: EpochSeconds): Promise<{ readonly needsNonce: boolean }> {
    if (deps.nonces === 'off') {
      // RFC 9449 §11.1: an old proof may have been stolen.
      if (!isProofRecent(proof, withoutNonce, now)) throw refuse('dpop_time')
      return { needsNonce: false }
    }
    const { nonce } = proof
    const isNonce = typeof nonce === 'string' && (await nonces.isAccepted(nonce, now))
    if (isNonce) {
      // RFC 9449 §11.1: the nonce proves that the proof is fresh, so the client's clock may be wrong.
      if (!isProofRecent(proof, withNonce, now)) throw refuse('dpop_time')
      return { needsNonce: nonce !== (await nonces.current(now)) }
    }
    // RFC 9449 §8: a client whose clock is wrong gets a nonce too, and its next proof is accepted.
    if (deps.nonces === 'required' || !isProofRecent(proof, withoutNonce, now))
      throw refuse('dpop_nonce', {}, { dpopNonce: await nonces.current(now) })
    return { needsNonce: true }
  }

  return {
    async verify(request, target, now) {
      const proof = parseProof(readProof(request))
      // RFC 9449 §4.3: the header must contain a proof with a public key.
      if (proof === undefined) throw refuse('dpop_proof_malformed')
      // RFC 9449 §4.3: the proof is for this request.
      const isForUs = addressesOf(target.url, deps.aliasOrigin).some((url) =>
        isProofFor(proof, { method: request.method, url }),
      )
      if (!isForUs) throw refuse('dpop_target')
      const { needsNonce } = await checkTime(proof, now)
      const jkt = await signatures.verify(proof)
      if (target.accessToken !== undefined) await checkTokenHash(proof, target.accessToken)
      const verified = { jkt, jti: proof.jti, target: target.url, expiresAt: expiryOf(proof, now), needsNonce }
      return verified as VerifiedProof
    },
    async use({ jkt, jti, target, expiresAt }, now) {
      // No part contains a line break, so the values of two different proofs never collide.
      const value = `${jkt}\n${target}\n${jti}`
      const { outcome } = await deps.storage.replays.markUsed({ purpose: 'dpop_jti', value, expiresAt, now })
      // RFC 9449 §11.1: a proof is accepted once.
      if (outcome !== 'fresh') throw refuse('dpop_replayed')
      return { kind: 'dpop', jkt } as ProvenPossession
    },
    headers: async ({ needsNonce }, now) => (needsNonce ? [['DPoP-Nonce', await nonces.current(now)]] : []),
  }
}

/** Returns the URLs of an endpoint: at the issuer, and at the origin with mutual TLS (RFC 8705 §5). */
export const addressesOf = (url: string, aliasOrigin: string | undefined): readonly string[] =>
  aliasOrigin === undefined ? [url] : [url, aliasOrigin + new URL(url).pathname]

function readProof(request: ServerRequest): string {
  const header = request.headers.get('dpop')
  // RFC 9449 §7.1: the DPoP scheme needs a proof.
  if (header === undefined) throw refuse('dpop_proof_missing')
  // RFC 9449 §4.3: at most one header. Two arrive joined by a comma, which makes the value malformed.
  return header
}

/**
 * In seconds: how far a proof's time may be off. With a nonce it may be far off, because the nonce is fresh (RFC 9449
 * §11.1).
 */
const withoutNonce = { past: 60, future: 10 }
const withNonce = { past: 3600, future: 3600 }

/**
 * Returns the time from which the proof is refused as too old, with or without its nonce. Its use is recorded until
 * then.
 */
const expiryOf = ({ iat }: ParsedProof, now: EpochSeconds): EpochSeconds =>
  epochSeconds(Math.max(Math.ceil(iat) + withoutNonce.past + 1, after(now, seconds(longestNonceLifetime))))

async function checkTokenHash({ ath }: ParsedProof, accessToken: string): Promise<void> {
  const expected = encodeBase64url(await sha256(accessToken))
  // RFC 9449 §4.3: the proof is for the access token that is presented with it.
  if (typeof ath !== 'string' || !equalInConstantTime(ath, expected)) throw refuse('dpop_access_token_hash')
}
