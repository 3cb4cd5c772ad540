import type { JsonObject } from '@mintmark/storage-interface'

import { encodeBase64url } from '../runtime/base64url.ts'
import type { Signer } from './key-ring.ts'

/**
 * Signs claims as a compact JWS (RFC 7515 §3.1).
 * @param type the `typ` header: what the token is, so that one kind is never taken for another (RFC 8725 §3.11).
 */
export async function signJwt(type: string, claims: JsonObject, signer: Signer): Promise<string> {
  const header = encodeBase64url(JSON.stringify({ alg: signer.algorithm, typ: type, kid: signer.keyId }))
  const signingInput = `${header}.${encodeBase64url(JSON.stringify(claims))}`
  const signature = await signer.sign(new TextEncoder().encode(signingInput))
  return `${signingInput}.${encodeBase64url(signature)}`
}
