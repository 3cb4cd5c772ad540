import { encodeBase64url, randomIdentifier, sha256, systemClock, systemRandom } from '@mintmark/internal'

/** A key that signs DPoP proofs (RFC 9449). */
interface ProofKey {
  /** The public key, as proofs contain it. */
  readonly jwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y', string>>
  /** The `jkt` of tokens that are bound to the key (RFC 7638 §3). */
  readonly thumbprint: string
  /** Creates a proof for one request: the value of its `DPoP` header. */
  proof(request: ProvenRequest): Promise<string>
}

/** The request that a proof is for (RFC 9449 §4.2). */
interface ProvenRequest {
  readonly method: string
  /** The URL of the request. The proof does not contain its query and fragment. */
  readonly url: string
  /** The access token that the request contains. */
  readonly accessToken?: string
  /** The nonce that the server sent last in `DPoP-Nonce`. */
  readonly nonce?: string
  /**
   * The time in the proof, in seconds since 1970.
   * @defaultValue The current time.
   */
  readonly issuedAt?: number
}

/** Creates an ES256 key for DPoP proofs, which exists only in this process. */
export async function createProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const { kty = '', crv = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey)
  const jwk = { kty, crv, x, y }

  return {
    jwk,
    thumbprint: await digestOf(JSON.stringify({ crv, kty, x, y })),
    async proof({ method, url, accessToken, nonce, issuedAt = systemClock() }) {
      const { origin, pathname } = new URL(url)
      const claims = {
        jti: randomIdentifier(systemRandom),
        htm: method,
        htu: origin + pathname,
        iat: issuedAt,
        ...(accessToken !== undefined && { ath: await digestOf(accessToken) }),
        ...(nonce !== undefined && { nonce }),
      }
      const signed = `${encode({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${encode(claims)}`
      const signature = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        privateKey,
        new TextEncoder().encode(signed),
      )
      return `${signed}.${encodeBase64url(new Uint8Array(signature))}`
    },
  }
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

const digestOf = async (text: string): Promise<string> => encodeBase64url(await sha256(text))

const encode = (value: object): string => encodeBase64url(new TextEncoder().encode(JSON.stringify(value)))
