import { readFile } from 'node:fs/promises'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { isAbsent } from './file-error.ts'
import type { Settings } from './settings.ts'

/**
 * The key that seals the signing keys, from the environment or from its file; several, the newest first, have a space or a line
 * between them. Undefined when nobody has said where it is.
 * @throws UsageError when the file cannot be read.
 */
export async function readSealingKey(
  { sealingKeyFile }: Settings,
  { env }: Pick<Io, 'env'>,
): Promise<SealingKeys | undefined> {
  const text =
    env['MINTMARK_SEALING_KEY'] ?? (sealingKeyFile === undefined ? undefined : await readSecretFile(sealingKeyFile))
  const [first, ...others] = text?.split(/\s+/).filter((word) => word !== '') ?? []
  return first === undefined ? undefined : [first, ...others]
}

/** In base64url; the first seals, all of them open. */
export type SealingKeys = readonly [string, ...string[]]

/** @throws UsageError that names the file. */
export async function readSecretFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    throw new UsageError(isAbsent(cause) ? `There is no file ${file}.` : `${file} cannot be read.`, { cause })
  }
}
