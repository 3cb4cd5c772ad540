import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { digestSecret, hmacSha256, sha256 } from './digest.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

it('SHA-256 of text is that of its UTF-8 bytes (FIPS 180-4)', async () => {
  const ofText = await sha256('déjà vu')
  const ofBytes = await sha256(new TextEncoder().encode('déjà vu'))

  expect(hex(ofText)).toBe(createHash('sha256').update('déjà vu').digest('hex'))
  expect(hex(ofBytes)).toBe(hex(ofText))
})

it('hashes a secret to the base64url of its SHA-256', async () => {
  const digest = await digestSecret('s3cret')

  expect(digest).toBe(createHash('sha256').update('s3cret').digest('base64url'))
})

it('computes HMAC-SHA-256 of the second test case (RFC 4231 §4.3)', async () => {
  const mac = await hmacSha256(
    new TextEncoder().encode('Jefe'),
    new TextEncoder().encode('what do ya want for nothing?'),
  )

  expect(hex(mac)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

it('law: HMAC-SHA-256 follows its definition for any key up to a block (RFC 2104 §2)', async () => {
  const key = fc.uint8Array({ maxLength: 64 })

  await fc.assert(
    fc.asyncProperty(key, fc.uint8Array({ maxLength: 200 }), async (key, message) => {
      expect(hex(await hmacSha256(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'))
    }),
  )
})

it('rejects a key longer than a block (RFC 2104 §2)', async () => {
  await expect(hmacSha256(new Uint8Array(65), new Uint8Array())).rejects.toThrow(TypeError)
})
