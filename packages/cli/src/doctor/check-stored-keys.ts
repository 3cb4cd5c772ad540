import { listKeys, type KeyDescription } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

import { CommandError } from '../command-error.ts'
import { durationText } from '../duration.ts'
import { openKeyRing, viewKeyRing } from '../place/key-ring.ts'
import { readSealingKey } from '../place/sealing-key.ts'
import { publishedKids } from './check-keys.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'

/** The keys in storage against those that the server publishes, their age, and whether the sealing key opens them. */
export async function checkStoredKeys(patient: DoctorTarget): Promise<readonly Finding[]> {
  const { storage, settings, io } = patient
  if (storage === undefined) return []
  const ring = viewKeyRing(storage, settings, io)
  const keys = (await listKeys(ring)).filter(({ state }) => state !== 'dropped')
  if (keys.length === 0)
    return [
      warn(
        'keys.stored',
        'There are no keys in storage yet.',
        'Start the server: the first request makes them. Or the database is not the server’s.',
      ),
    ]

  return [
    overlapFinding(keys, await publishedKids(patient)),
    ...keys.filter(({ state }) => state === 'signing').map((key) => ageFinding(key, keys, ring.settings.schedule.sign)),
    ...(await sealingFindings(patient, storage)),
  ]
}

function overlapFinding(keys: readonly KeyDescription[], kids: readonly unknown[]): Finding {
  const missing = keys.filter(({ keyId }) => !kids.includes(keyId))
  const unknown = kids.filter((kid) => !keys.some(({ keyId }) => keyId === kid))
  if (missing.length === 0 && unknown.length === 0)
    return ok('keys.overlap', 'The server publishes exactly the keys that storage has in use.')
  return fail(
    'keys.overlap',
    `The server publishes other keys than storage has in use: ${missing.length} missing, ${unknown.length} unknown.`,
    'Look whether this is the server’s database and issuer, and whether something caches /jwks for longer than it says.',
  )
}

function ageFinding({ algorithm, age }: KeyDescription, keys: readonly KeyDescription[], sign: number): Finding {
  const check = `keys.age.${algorithm}`
  const isFollowed = keys.some((key) => key.algorithm === algorithm && key.state === 'announced')
  if (age <= sign || isFollowed)
    return ok(
      check,
      `The ${algorithm} key is ${durationText(age)} old${isFollowed ? ', and the next one is announced' : ''}.`,
    )
  return warn(
    check,
    `The ${algorithm} key is ${durationText(age)} old, and no other one is announced.`,
    'Run mintmark keys rotate every day, from cron, or give storedKeys the option rotation: automatic.',
  )
}

async function sealingFindings(patient: DoctorTarget, storage: AdminStorage): Promise<readonly Finding[]> {
  const { settings, io } = patient
  if ((await readSealingKey(settings, io)) === undefined) return []
  try {
    const ring = await openKeyRing(storage, settings, io)
    const known = new Set((await storage.signingKeys.list()).map(({ algorithm }) => algorithm))
    // One that is not there yet would be made: a doctor changes nothing.
    if (!ring.algorithms.every((algorithm) => known.has(algorithm))) return []
    for (const algorithm of ring.algorithms) await ring.signer(algorithm)
    return [ok('keys.sealing', 'The sealing key opens the signing keys.')]
  } catch (error) {
    const what = error instanceof CommandError ? error.message : 'The sealing key does not open the signing keys.'
    return [fail('keys.sealing', what, 'Give the sealing key that the server has; with another one it signs nothing.')]
  }
}
