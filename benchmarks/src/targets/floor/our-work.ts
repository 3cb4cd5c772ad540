import { hash, KeyObject, randomBytes, sign, timingSafeEqual, verify } from 'node:crypto'

import type { JWTPayload } from 'jose'

import { ecdsaFromDer, ecdsaToDer } from '../../../../packages/core/src/keys/jws.ts'
import { digest } from './digest.ts'
import { commonClaims, type FloorKeys, type FloorWork } from './floor-work.ts'

/**
 * What Mintmark must do for its promises, written by hand and without promises: ES256 with `node:crypto`, tokens that the
 * revocation feed can revoke, and refresh tokens with a checksum, whose successor can be computed again after a lost
 * response. Verified tokens are kept.
 */
export function ourWork({ issuer, privateKey, publicKey }: FloorKeys): FloorWork {
  const signingKey = KeyObject.from(privateKey)
  const verifyingKey = KeyObject.from(publicKey)
  const feedSecret = randomBytes(32)
  const keyId = randomBytes(32).toString('base64url')
  const verified = new Map<string, JWTPayload>()
  const nameOf = (text: string): string => hmac(feedSecret, text).toString('base64url').slice(0, 22)

  function verifySignature(token: string): JWTPayload {
    const end = token.lastIndexOf('.')
    const signature = ecdsaToDer(Buffer.from(token.slice(end + 1), 'base64url')) ?? new Uint8Array()
    if (!verify('sha256', Buffer.from(token.slice(0, end)), verifyingKey, signature)) throw new Error('A forged token.')
    return JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url').toString()) as JWTPayload
  }

  return {
    headers: { Pragma: 'no-cache', 'X-Content-Type-Options': 'nosniff', Vary: 'Origin' },
    sign(type, claims) {
      const header = encode(JSON.stringify({ alg: 'ES256', typ: type, kid: keyId }))
      const input = `${header}.${encode(JSON.stringify({ ...claims, ...commonClaims(issuer) }))}`
      return `${input}.${encode(ecdsaFromDer(sign('sha256', Buffer.from(input), signingKey)))}`
    },
    verify(token) {
      const key = digest(token)
      const payload = verified.get(key) ?? verifySignature(token)
      verified.set(key, payload)
      for (const oldest of verified.keys()) {
        if (verified.size <= 4096) break
        verified.delete(oldest)
      }
      return payload
    },
    dependenciesOf: ({ clientId, user }) => ({
      client_ref: [nameOf(`client ${clientId}`)],
      ...(user && {
        user_ref: nameOf(`user ${user.userId}`),
        family: user.familyId,
        grant: user.grantId,
        generation: 0,
      }),
    }),
    createRefreshToken() {
      const bytes = randomBytes(64)
      const [handle, secret] = [bytes.subarray(0, 32), bytes.subarray(32)]
      return { ...refreshToken(handle, secret), handleDigest: digest(handle) }
    },
    replaceRefreshToken(presented) {
      const bytes = Buffer.from(presented, 'base64url')
      const [handle, secret] = [bytes.subarray(0, 32), bytes.subarray(32, 64)]
      if (!timingSafeEqual(bytes.subarray(64), checksumOf(handle, secret)))
        throw new Error('A malformed refresh token.')
      const salt = randomBytes(32).toString('base64url')
      return {
        handleDigest: digest(handle),
        presentedDigest: digest(encode(secret)),
        successor: refreshToken(handle, hmac(secret, `successor ${salt}`)),
      }
    },
  }
}

const refreshToken = (handle: Uint8Array, secret: Uint8Array) => ({
  token: encode(Buffer.concat([handle, secret, checksumOf(handle, secret)])),
  currentDigest: digest(encode(secret)),
})

const checksumOf = (handle: Uint8Array, secret: Uint8Array): Uint8Array => hmac(handle, secret).subarray(0, 16)

/** With two digests, because `createHmac` takes several times as long. The key has 32 bytes. */
function hmac(key: Uint8Array, data: string | Uint8Array): Buffer {
  const inner = hash('sha256', Buffer.concat([padded(key, 0x36), Buffer.from(data)]), 'buffer')
  return hash('sha256', Buffer.concat([padded(key, 0x5c), inner]), 'buffer')
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(64, pad)
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad
  return block
}

const encode = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')
