import { secretDigest, type SecretDigest } from '@mintmark/storage-interface'

import { encodeBase64url } from './base64url.ts'
import { nodeCrypto, type NodeCrypto } from './node-crypto.ts'

/**
 * SHA-256 of a secret, base64url: what a store may keep. Fit for secrets of 256 random bits, which nobody can try out;
 * not for passwords that a person chose.
 */
export const digestSecret: DigestSecret = nodeCrypto === undefined ? webDigestSecret : nodeDigestSecret(nodeCrypto)

type DigestSecret = (secret: string | Uint8Array) => Promise<SecretDigest>

/** Node writes a digest as text at once: bytes in between would cost as much as the digest. */
function nodeDigestSecret(node: NodeCrypto): DigestSecret {
  return async (secret) => secretDigest(node.hash('sha256', secret, 'base64url'))
}

async function webDigestSecret(secret: string | Uint8Array): Promise<SecretDigest> {
  return secretDigest(encodeBase64url(await webSha256(secret)))
}

/** SHA-256 of the bytes, or of the text's UTF-8 bytes; at once where the runtime can. */
export const sha256: Sha256 = nodeCrypto === undefined ? webSha256 : nodeSha256(nodeCrypto)

type Sha256 = (data: string | Uint8Array) => Uint8Array | Promise<Uint8Array>

function nodeSha256(node: NodeCrypto): Sha256 {
  return (data) => node.hash('sha256', data, 'buffer')
}

async function webSha256(data: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/**
 * HMAC-SHA-256 of the message, 32 bytes (RFC 2104 §2). Two digests: Web Crypto's own would import the key for each message.
 * @param key at most 64 bytes.
 */
export async function hmacSha256(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  if (key.length > blockLength) throw new TypeError('The key of an HMAC is at most 64 bytes long.')
  const inner = await sha256(padded(key, 0x36, message))
  return sha256(padded(key, 0x5c, inner))
}

/** The key, filled up with zeros to a block, each byte of it XORed with `pad`, and the text behind it. */
function padded(key: Uint8Array, pad: number, text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(blockLength + text.length)
  for (let index = 0; index < blockLength; index += 1) bytes[index] = (key[index] ?? 0) ^ pad
  bytes.set(text, blockLength)
  return bytes
}

/** Bytes in a block of SHA-256 (RFC 2104 §2: B). */
const blockLength = 64
