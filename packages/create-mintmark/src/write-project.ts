import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { ProjectRefused } from './project-refused.ts'
import type { ProjectFile } from './template.ts'

/**
 * Writes the files of a project, all of them or none.
 * @param folder absolute; it must be empty or not be there.
 * @param signal when it is aborted, this rejects with its reason.
 * @throws ProjectRefused when something is there already; what the file system said when it cannot be written. What was
 *   there before is as it was then.
 */
export async function writeProject(folder: string, files: Iterable<ProjectFile>, signal: AbortSignal): Promise<void> {
  const isThere = await isEmptyFolder(folder)
  // The uppermost folder that is made; undefined when all of them are there.
  const made = await mkdir(folder, { recursive: true })
  try {
    for (const { path, text, access } of files) {
      signal.throwIfAborted()
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx', mode: access === 'private' ? 0o600 : 0o666 })
    }
    signal.throwIfAborted()
  } catch (error) {
    await remove(isThere ? await contentsOf(folder) : [made ?? folder])
    throw error
  }
}

/** @returns whether there is a folder. @throws ProjectRefused when it is no folder, or has something in it. */
async function isEmptyFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
  if (found === undefined) return false
  if (!found.isDirectory()) throw new ProjectRefused(`${folder} is a file. Name another folder; nothing was changed.`)
  const [first] = await readdir(folder)
  if (first === undefined) return true
  throw new ProjectRefused(`${folder} is not empty: there is ${first}. Name a new folder; nothing was changed.`)
}

const contentsOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).map((name) => join(folder, name))

async function remove(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })))
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
