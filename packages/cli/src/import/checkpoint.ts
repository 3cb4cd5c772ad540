import { readFile, rename, rm, writeFile } from 'node:fs/promises'

import * as z from 'zod'

import { UsageError } from '../command-error.ts'

const checkpoint = z.strictObject({
  source: z.string(),
  lines: z.int(),
  counts: z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int(), refused: z.int() }),
  reportBytes: z.int(),
})

/** How far an import has come. All lines before it are stored. */
export interface Checkpoint extends z.infer<typeof checkpoint> {}

/**
 * Reads a checkpoint. Returns undefined if the file does not exist.
 * @param source a digest of the input and of the database.
 * @throws UsageError if the file belongs to another import.
 */
export async function readCheckpoint(path: string, source: string): Promise<Checkpoint | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { data } = checkpoint.safeParse(parseJson(text))
  if (data?.source === source) return data
  throw new UsageError(`${path} is the checkpoint of another file or database. Remove it to start over.`)
}

/** Replaces a checkpoint atomically: if the process is killed, either the old or the new file remains. */
export async function writeCheckpoint(path: string, state: Checkpoint): Promise<void> {
  const next = `${path}.next`
  await writeFile(next, JSON.stringify(state), { mode: 0o600 })
  await rename(next, path)
}

export const removeCheckpoint = (path: string): Promise<void> => rm(path, { force: true })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses undefined.
    return undefined
  }
}
