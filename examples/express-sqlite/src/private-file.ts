import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** Reads a file of secrets; `undefined` when there is none. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file that nobody but its owner can read. */
export const writePrivateFile = (file: string, text: string): Promise<void> => writeFile(file, text, { mode: 0o600 })

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
