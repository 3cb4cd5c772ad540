import { readFile } from 'node:fs/promises'

import { createStoredKeys, type SigningAlgorithm, type StoredKeyRing } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

import { CommandError, UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { type Settings, isFileAbsent } from './settings.ts'

/**
 * Opens the key ring of the server.
 * @throws UsageError if no sealing key is given, or an option of the keys is invalid.
 */
export async function openKeyRing(storage: AdminStorage, settings: Settings, io: Io): Promise<StoredKeyRing> {
  const sealingKey = await readSealingKey(settings, io)
  if (sealingKey === undefined) {
    throw new UsageError(
      'No sealing key is given. Set MINTMARK_SEALING_KEY, MINTMARK_SEALING_KEY_FILE, or sealingKeyFile in mintmark.config.json.',
    )
  }
  return ringOf({ storage, clock: io.clock, sealingKey }, settings)
}

/**
 * Opens the key ring for listing only. It cannot use or create a key.
 * @throws UsageError if an option of the keys is invalid.
 */
export const viewKeyRing = (storage: AdminStorage, settings: Settings, io: Io): StoredKeyRing =>
  ringOf(
    { storage, clock: io.clock, vault: { generate: rejectUse, open: rejectUse }, issuerSecret: unusedSecret },
    settings,
  )

type RingBase = Parameters<typeof createStoredKeys>[0]

function ringOf(base: RingBase, { keys: { algorithms, schedule = {} } }: Settings): StoredKeyRing {
  try {
    // `createStoredKeys` checks the names.
    const algorithmNames = algorithms as readonly [SigningAlgorithm, ...SigningAlgorithm[]] | undefined
    return createStoredKeys({
      ...base,
      ...(algorithmNames !== undefined && { algorithms: algorithmNames }),
      schedule: withoutUndefined(schedule),
    })
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

const withoutUndefined = (schedule: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(schedule).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** A key ring that only lists keys does not use its secret. */
const unusedSecret = 'A'.repeat(43)

const rejectUse = (): Promise<never> => Promise.reject(new CommandError('The keys were opened for listing only.'))

/**
 * Reads the key that seals the signing keys from the environment or a file. Several keys, newest first, are separated
 * by white space. Returns undefined if none is configured.
 * @throws UsageError if the file cannot be read.
 */
export async function readSealingKey(
  { sealingKeyFile }: Settings,
  { env }: Pick<Io, 'env'>,
): Promise<SealingKeys | undefined> {
  const text =
    env['MINTMARK_SEALING_KEY'] ?? (sealingKeyFile === undefined ? undefined : await readTrimmedFile(sealingKeyFile))
  const [first, ...others] = text?.split(/\s+/).filter((word) => word !== '') ?? []
  return first === undefined ? undefined : [first, ...others]
}

/** Sealing keys in base64url. The first one seals; every one of them opens. */
export type SealingKeys = readonly [string, ...string[]]

/** @throws UsageError, which names the file. */
export async function readTrimmedFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    throw new UsageError(isFileAbsent(cause) ? `There is no file ${file}.` : `${file} cannot be read.`, { cause })
  }
}
