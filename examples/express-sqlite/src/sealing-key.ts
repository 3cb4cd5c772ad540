import { randomBytes } from 'node:crypto'

import { readPrivateFile, writePrivateFile } from './private-file.ts'

/**
 * The key that seals Mintmark's signing keys: 32 random bytes in base64url. In production it comes from a secret store;
 * here it is a file beside the database. Without it the stored signing keys are lost.
 */
export async function sealingKeyFrom(file: string): Promise<string> {
  const known = await readPrivateFile(file)
  if (known !== undefined) return known.trim()

  const made = randomBytes(32).toString('base64url')
  await writePrivateFile(file, `${made}\n`)
  return made
}
