import { systemRandom } from '@mintmark/internal'
import { anInteractionRecord } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { aRing, issuer } from '../../test/ring-under-test.ts'
import { createSeal } from './seal.ts'
import { createInteractionSeal } from './sealed-interaction.ts'

it.each([
  ['a third part', (sealed: string) => `${sealed}.x`],
  ['a line break after it', (sealed: string) => `${sealed}\n`],
  ['a padding character', (sealed: string) => `${sealed}=`],
  ['a key identifier of other characters', (sealed: string) => `!${sealed.slice(1)}`],
  ['nothing after its key identifier', (sealed: string) => sealed.slice(0, 13)],
])('does not open a handle with %s (RFC 9700 §4.7)', async (_, change) => {
  const seal = createInteractionSeal({ issuer, keys: aRing().ring, random: systemRandom })
  const sealed = await seal.seal({
    interaction: anInteractionRecord(),
    document: undefined,
    sessionAuthTime: undefined,
  })
  if (sealed === undefined) throw new Error('The interaction was not sealed.')
  expect(await seal.open(sealed)).toBeDefined()

  expect(await seal.open(change(sealed))).toBeUndefined()
})

it('neither seals nor opens a value that is longer than a URL may be (RFC 9110 §4.1)', async () => {
  const form = {
    purpose: 'interactions',
    context: 'test',
    encode: (value: object) => value,
    decode: (value: object) => value,
  }
  const deps = { keys: aRing().ring, random: systemRandom }
  const value = { text: 'x'.repeat(100) }
  const sealed = (await createSeal({ ...form, maxLength: 7000 }, deps).seal(value)) ?? ''
  const atLimit = createSeal({ ...form, maxLength: sealed.length }, deps)
  const below = createSeal({ ...form, maxLength: sealed.length - 1 }, deps)

  expect(await atLimit.open(sealed)).toEqual(value)
  expect(await atLimit.seal(value)).toHaveLength(sealed.length)
  expect(await below.open(sealed)).toBeUndefined()
  expect(await below.seal(value)).toBeUndefined()
})

it('throws an error when the key ring of a host derives no secrets', async () => {
  const keys = { ...aRing().ring, deriveSecrets: () => Promise.resolve([]) }
  const seal = createInteractionSeal({ issuer, keys, random: systemRandom })

  await expect(
    seal.seal({ interaction: anInteractionRecord(), document: undefined, sessionAuthTime: undefined }),
  ).rejects.toThrow('The key ring must derive at least one secret.')
})

it('seals again after the key ring that the host supplies has failed', async () => {
  const { ring } = aRing()
  let isFailing = true
  const deriveSecrets = (purpose: string) =>
    isFailing ? Promise.reject(new Error('unavailable')) : ring.deriveSecrets(purpose)
  const seal = createInteractionSeal({ issuer, keys: { ...ring, deriveSecrets }, random: systemRandom })
  const content = { interaction: anInteractionRecord(), document: undefined, sessionAuthTime: undefined }
  await expect(seal.seal(content)).rejects.toThrow('unavailable')
  isFailing = false

  expect(await seal.seal(content)).toBeDefined()
})
