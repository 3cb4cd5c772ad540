import {
  type CertificateFormat,
  certificateHeaders,
  isProofFor,
  isProofRecent,
  type ParsedProof,
  parseProof,
  readCertificateHeader,
} from '@mintmark/internal'
import { importJWK } from 'jose/key/import'
import { compactVerify } from 'jose/jws/compact/verify'

import type { ProvenKey } from './access-token.ts'
import { refuse } from './refusals.ts'
import { digest, type Clock, type EpochMilliseconds } from './runtime.ts'

/** The parts of a request that proofs of possession refer to. */
export interface ProvenRequest {
  readonly method: string
  /** The path of the URL, with or without the query. */
  readonly path: string
  /** The values of all DPoP headers. */
  readonly proofs: readonly string[]
  /** Finds the certificate of the client; needed with the option `mutualTls`. */
  readonly certificates?: {
    /** Returns all values of a header. The name is in lower case. */
    readonly header: (name: string) => readonly string[]
    /** Returns the certificate, in DER, that the client presented to this process. */
    readonly peer?: () => Uint8Array | undefined
  }
}

/** Where the certificates of clients come from (RFC 8705 §3). */
export type CertificateSource =
  | 'tls_socket'
  | {
      /**
       * `client-cert`: the header of RFC 9440; `envoy`: `x-forwarded-client-cert` with `Cert`; `nginx`: `ssl-client-cert` with
       * `$ssl_client_escaped_cert`.
       */
      readonly format: CertificateFormat
      /**
       * Confirms that the proxy sets the header on every request, and removes a header that the sender wrote (RFC 9440
       * §4).
       */
      readonly trust: 'this_proxy_sets_and_strips_it'
      /**
       * The name of the header.
       * @defaultValue `client-cert`, `x-forwarded-client-cert` or `ssl-client-cert`, depending on `format`. Few proxies use another header.
       */
      readonly header?: string
    }

/** Returns the thumbprint of the certificate that the client presented (RFC 8705 §3.1), or `undefined` without one. */
export async function readProvenCertificate(
  { certificates }: ProvenRequest,
  source: CertificateSource,
): Promise<ProvenKey | undefined> {
  if (certificates === undefined) return undefined
  const der =
    source === 'tls_socket'
      ? certificates.peer?.()
      : readCertificateHeader(
          source.format,
          certificates.header((source.header ?? certificateHeaders[source.format]).toLowerCase()),
        )
  return der && { 'x5t#S256': await digest(der) }
}

/** Remembers which DPoP proofs were used, for all processes of an API together. */
export interface ProofReplays {
  /**
   * Returns `true` for exactly one of all calls with the same value until `expiresAt`.
   * @param value a digest of 43 characters.
   * @param expiresAt in milliseconds since 1970.
   */
  markUsed(value: string, expiresAt: EpochMilliseconds): Promise<boolean>
}

/** Proves that the sender of a request holds a key (RFC 9449 §7.1). */
export interface PossessionVerifier {
  /**
   * @returns the thumbprint of the key, and a function that marks the proof as used.
   * @throws AccessRefusedError `proof_missing`, `proof_malformed`, `proof_target`, `proof_time`, `proof_token_hash`,
   *   `proof_signature`. The returned function throws `proof_replayed`.
   */
  verify(
    request: ProvenRequest,
    token: string,
  ): Promise<{ readonly jkt: string; readonly markUsed: () => Promise<void> }>
}

export function createPossessionVerifier(deps: {
  readonly origin: string
  readonly replays: ProofReplays
  readonly clock: Clock
}): PossessionVerifier {
  return {
    async verify({ method, path, proofs }, token) {
      const [text, second] = proofs
      // RFC 9449 §7.1: a bound token needs a proof.
      if (text === undefined) throw refuse('proof_missing')
      const proof = second === undefined ? parseProof(text) : undefined
      // RFC 9449 §4.3: there must be one header, and it must be a proof with a public key.
      if (proof === undefined) throw refuse('proof_malformed')
      const url = deps.origin + (path.split('?', 1)[0] ?? '')
      // RFC 9449 §4.3: the proof must be for this request, at the public address of the API.
      if (!URL.canParse(url) || !isProofFor(proof, { method, url })) throw refuse('proof_target')
      // RFC 9449 §11.1: an old proof may have been stolen.
      if (!isProofRecent(proof, tolerance, deps.clock() / 1000)) throw refuse('proof_time')
      // RFC 9449 §4.3: the proof must be for the access token of the same request.
      if (proof.ath !== (await digest(token))) throw refuse('proof_token_hash')
      await verifySignature(text, proof)
      const jkt = await digest(JSON.stringify(proof.jwk))
      return {
        jkt,
        async markUsed() {
          // The parts contain no line breaks, so two proofs never have the same value.
          const value = await digest(`${jkt}\n${method}\n${url}\n${proof.jti}`)
          const expiresAt = (Math.ceil(proof.iat) + tolerance.past + 1) * 1000
          // RFC 9449 §11.1: a proof is accepted once.
          if (!(await deps.replays.markUsed(value, expiresAt))) throw refuse('proof_replayed')
        },
      }
    },
  }
}

/** In seconds. */
const tolerance = { past: 60, future: 10 }

async function verifySignature(text: string, { jwk, algorithm }: ParsedProof): Promise<void> {
  try {
    await compactVerify(text, await importJWK({ ...jwk }, algorithm), {
      algorithms: algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm],
    })
  } catch {
    // RFC 9449 §4.3: jose throws for a signature that it cannot verify, and for numbers that are not a key.
    throw refuse('proof_signature')
  }
}

/**
 * Remembers the latest 100,000 proofs in the memory of this process, in about 15 MB. At more than a thousand requests a
 * second, the oldest proofs are forgotten before they expire. Otherwise they are kept longer, because a clock that is set
 * back would make them acceptable again.
 */
export function createMemoryReplays(clock: Clock): ProofReplays {
  const used = new Map<string, EpochMilliseconds>()

  return {
    markUsed(value, expiresAt) {
      const now = clock()
      const isUsed = now < (used.get(value) ?? 0)
      if (isUsed) return Promise.resolve(false)
      used.delete(value)
      used.set(value, expiresAt)
      const [oldest] = used.keys()
      if (oldest !== undefined && used.size > maxProofs) used.delete(oldest)
      return Promise.resolve(true)
    },
  }
}

const maxProofs = 100_000
