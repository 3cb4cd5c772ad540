import { systemRandom } from '@mintmark/internal'
import { anInteractionRecord } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { aRing, issuer } from '../../test/ring-under-test.ts'
import { createInteractionSeal } from './sealed-interaction.ts'

it('throws an error when the key ring of a host derives no secrets', async () => {
  const keys = { ...aRing().ring, deriveSecrets: () => Promise.resolve([]) }
  const seal = createInteractionSeal({ issuer, keys, random: systemRandom })

  await expect(
    seal.seal({ interaction: anInteractionRecord(), document: undefined, sessionAuthTime: undefined }),
  ).rejects.toThrow('The key ring must derive at least one secret.')
})
