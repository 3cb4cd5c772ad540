import { createStoredKeys } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { checkStoredKeys } from './check-keys.ts'
import type { DoctorTarget } from './target.ts'

const issuer = 'https://as.test'
const now = epochSeconds(1_790_000_000)
const sealingKey = Buffer.alloc(32, 7).toString('base64url')
const newSealingKey = Buffer.alloc(32, 8).toString('base64url')

/**
 * Creates storage whose keys are sealed with `sealingKey`. `check` runs doctor's check with a given sealing key and
 * time.
 */
async function aDatabase() {
  const storage = createMemoryStorage({ issuer })
  await createStoredKeys({ storage, sealingKey, clock: () => now }).publicKeys()
  const check = async (key: string, at = now) => {
    const target = {
      issuer,
      storage,
      settings: { issuer, database: undefined, sealingKeyFile: undefined, keys: {} },
      io: { env: { MINTMARK_SEALING_KEY: key }, clock: () => at },
      probe: () => Promise.resolve(undefined),
      metadata: {},
      options: {},
    } as unknown as DoctorTarget
    const before = await storage.signingKeys.list()
    const findings = await checkStoredKeys(target)
    // Doctor must not change keys.
    expect(await storage.signingKeys.list()).toEqual(before)
    return findings.find((finding) => finding.check === 'keys.sealing')
  }
  return { storage, check }
}

const failed = { level: 'fail', what: 'The sealing key does not open the signing keys.' }

it('keys.sealing passes with the sealing key of the servers, and fails with another one', async () => {
  const { check } = await aDatabase()

  expect(await check(sealingKey)).toMatchObject({ level: 'ok' })
  expect(await check(newSealingKey)).toMatchObject(failed)
})

it('keys.sealing fails with an outdated sealing key, once the signing key is sealed with the new one', async () => {
  const { storage, check } = await aDatabase()
  await createStoredKeys({ storage, sealingKey: [newSealingKey, sealingKey], clock: () => now }).rotate({ when: 'now' })
  const later = epochSeconds(now + 2 * 86_400)

  expect(await check(sealingKey, later)).toMatchObject(failed)
  expect(await check(`${newSealingKey} ${sealingKey}`, later)).toMatchObject({ level: 'ok' })
})

it('keys.sealing passes, and creates no key, when all keys of an algorithm were dropped', async () => {
  const { storage, check } = await aDatabase()
  // With this vault, the drop fails before it creates the next key.
  const fail = () => Promise.reject(new Error('unavailable'))
  const ring = createStoredKeys({
    storage,
    vault: { generate: fail, open: fail },
    issuerSecret: sealingKey,
    clock: () => now,
  })
  const key = (await ring.list()).find(({ algorithm }) => algorithm === 'RS256')
  await expect(ring.drop(key?.keyId ?? '')).rejects.toThrow('cannot open a key')
  expect((await ring.list()).map(({ algorithm, state }) => `${algorithm} ${state}`)).toEqual([
    'ES256 signing',
    'RS256 dropped',
  ])

  expect(await check(sealingKey)).toMatchObject({ level: 'ok' })
})
