import { createRecentMap, decodeBase64url, encodeBase64url, type ParsedProof, sha256 } from '@mintmark/internal'

import { importVerifier, type VerifySignature } from '../keys/jws.ts'
import { refuse } from '../refusals.ts'

/**
 * Verifies the signatures of proofs. Keeps recent keys imported, because importing a key costs as much as verifying.
 */
export interface ProofSignatures {
  /**
   * @returns the thumbprint of the key (RFC 7638).
   * @throws OAuthError invalid_dpop_proof — reason `dpop_signature`.
   */
  verify(proof: ParsedProof): Promise<string>
}

export function createProofSignatures(): ProofSignatures {
  const imported = createRecentMap<Promise<VerifySignature | undefined>>({ limit: 1000 })

  return {
    async verify({ algorithm, jwk, signingInput, signature }) {
      const canonical = JSON.stringify(jwk)
      const jkt = encodeBase64url(await sha256(canonical))
      const verifySignature = await imported.get(`${algorithm} ${jkt}`, () => importKey(algorithm, jwk))
      const bytes = new TextEncoder().encode(signingInput)
      // RFC 9449 §4.3: the signature verifies with the key in the header.
      if ((await verifySignature?.(decodeBase64url(signature), bytes)) !== true) throw refuse('dpop_signature')
      return jkt
    },
  }
}

async function importKey(
  algorithm: ParsedProof['algorithm'],
  jwk: ParsedProof['jwk'],
): Promise<VerifySignature | undefined> {
  try {
    return await importVerifier({ algorithm, jwk })
  } catch {
    // Web Crypto throws on numbers that are not a key, such as a point that is not on the curve.
    return undefined
  }
}
