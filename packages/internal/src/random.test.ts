import { expect, it } from 'vitest'

import { randomIdentifier, randomSecret, randomSecretAndIdentifier, systemRandom } from './random.ts'

it('a secret encodes 256 bits of the random source (RFC 6749 §10.10)', () => {
  const asked: number[] = []
  const secret = randomSecret((byteCount) => {
    asked.push(byteCount)
    return Uint8Array.from({ length: byteCount }, (_, at) => at)
  })

  expect(asked).toEqual([32])
  expect([...Buffer.from(secret, 'base64url')]).toEqual(Array.from({ length: 32 }, (_, at) => at))
})

it('a secret shares no byte with the identifier drawn with it (RFC 6749 §10.10)', () => {
  const { secret, identifier } = randomSecretAndIdentifier((byteCount) =>
    Uint8Array.from({ length: byteCount }, (_, at) => at),
  )
  const bytes = [...Buffer.from(secret, 'base64url'), ...Buffer.from(identifier, 'base64url')]

  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(bytes).toEqual(Array.from({ length: 48 }, (_, at) => at))
})

it("the system's random source does not repeat a value", () => {
  const drawn = Array.from({ length: 1000 }, () => [randomSecret(systemRandom), randomIdentifier(systemRandom)]).flat()

  expect(new Set(drawn).size).toBe(2000)
})
