import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { ProjectFile } from './template.ts'

/**
 * Writes all files of a project or none.
 * @param folder an absolute path. The folder must be empty or must not exist.
 * @param signal when it is aborted, the promise is rejected with its reason.
 * If the promise is rejected, the function has removed everything that it wrote.
 * @throws ProjectError if the folder is a file or is not empty; the error of the file system if a file cannot be
 *   written.
 */
export async function writeProject(folder: string, files: Iterable<ProjectFile>, signal: AbortSignal): Promise<void> {
  const existed = await isEmptyFolder(folder)
  // The topmost folder that was created; undefined if all of them existed.
  const topmost = await mkdir(folder, { recursive: true })
  try {
    for (const { path, text, access } of files) {
      signal.throwIfAborted()
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx', mode: access === 'private' ? 0o600 : 0o666 })
    }
    signal.throwIfAborted()
  } catch (error) {
    await remove(existed ? await contentsOf(folder) : [topmost ?? folder])
    throw error
  }
}

/**
 * Whether the folder exists and is empty; false if it does not exist.
 * @throws ProjectError if it is a file or not empty.
 */
async function isEmptyFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
  if (found === undefined) return false
  if (!found.isDirectory()) throw new ProjectError(`${folder} is a file. Choose another folder; nothing was changed.`)
  const [first] = await readdir(folder)
  if (first === undefined) return true
  throw new ProjectError(`${folder} is not empty: it contains ${first}. Choose a new folder; nothing was changed.`)
}

const contentsOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).map((name) => join(folder, name))

async function remove(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })))
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The project cannot be created in the folder. The message is written for the user. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}
