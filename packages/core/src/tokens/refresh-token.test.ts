import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { digestRefreshToken, parseRefreshToken, deriveSuccessor, encodeRefreshToken } from './refresh-token.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('refresh token', () => {
  it('law: parsing an encoded token returns the same token', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (handle, secret) => {
        const read = await parseRefreshToken(await encodeRefreshToken({ handle, secret }))

        expect(read?.handle).toEqual(handle)
        expect(read?.secret).toEqual(secret)
      }),
    )
  })

  it('law: a token with one changed character is rejected', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ handle: bytes, secret: bytes }),
        fc.nat(106),
        fc.constantFrom('A', 'z', '0', '-', '_'),
        async (token, at, character) => {
          const text = await encodeRefreshToken(token)
          fc.pre(text[at] !== character)

          const altered = text.slice(0, at) + character + text.slice(at + 1)

          expect(await parseRefreshToken(altered)).toBeUndefined()
        },
      ),
    )
  })

  it('rejects truncated, extended and differently encoded tokens (RFC 6749 §10.4)', async () => {
    const text = await encodeRefreshToken({ handle: new Uint8Array(32), secret: new Uint8Array(32) })

    const read = await Promise.all(
      [text.slice(1), text.slice(0, -1), `${text}A`, `${text}=`, ` ${text}`, ''].map(parseRefreshToken),
    )

    expect(read.every((token) => token === undefined)).toBe(true)
  })

  it('derives the same successor from the same salt, another successor from another salt, and keeps the handle', async () => {
    const token = { handle: new Uint8Array(32).fill(1), secret: new Uint8Array(32).fill(2) }

    const [first, again, other] = await Promise.all(['s1', 's1', 's2'].map((salt) => deriveSuccessor(token, salt)))

    expect(first).toEqual(again)
    expect(first?.secret).not.toEqual(other?.secret)
    expect(first?.handle).toEqual(token.handle)
  })

  it('has digests of 43 characters, which the token does not contain', async () => {
    const token = { handle: new Uint8Array(32).fill(1), secret: new Uint8Array(32).fill(2) }

    const { handleDigest, tokenDigest } = await digestRefreshToken(token)

    expect([handleDigest.length, tokenDigest.length]).toEqual([43, 43])
    expect(await encodeRefreshToken(token)).not.toContain(handleDigest)
  })
})
