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
