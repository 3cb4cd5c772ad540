import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** Reads a file of secrets; returns `undefined` if the file does not exist. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file that only its owner can read. */
export const writePrivateFile = (file: string, text: string): Promise<void> => writeFile(file, text, { mode: 0o600 })

/**
 * Returns the key that seals Mintmark's signing keys: 32 random bytes in base64url. In production it comes from a secret
 * store; here it is a file next to the database, created on the first run. Without this key the server cannot use the
 * stored signing keys.
 */
export async function sealingKeyFrom(file: string): Promise<string> {
  const existing = await readPrivateFile(file)
  if (existing !== undefined) return existing.trim()

  const created = randomBytes(32).toString('base64url')
  await writePrivateFile(file, `${created}\n`)
  return created
}
