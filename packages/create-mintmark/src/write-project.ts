import { mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { ProjectError } from './project-error.ts'
import type { ProjectFile } from './template.ts'

/**
 * Writes all files of a project or none.
 * @param folder an absolute path. The folder must be empty or must not exist.
 * @param signal when it is aborted, the promise is rejected with its reason.
 * If the promise is rejected, the function has removed the files and folders that it created, except folders in which
 * another program has created a file meanwhile.
 * @throws ProjectError if the folder is a file or is not empty; the error of the file system if a file cannot be
 *   written.
 */
export async function writeProject(folder: string, files: Iterable<ProjectFile>, signal: AbortSignal): Promise<void> {
  await requireEmptyFolder(folder)
  await writeFiles(folder, files, signal)
}

/**
 * Adds all files to an existing project or none, like `writeProject`.
 * @throws ProjectError if one of the files exists.
 */
export async function addToProject(folder: string, files: readonly ProjectFile[], signal: AbortSignal): Promise<void> {
  for (const { path } of files) {
    const found = await statIfThere(join(folder, path))
    if (found !== undefined) throw new ProjectError(`${join(folder, path)} exists. Nothing was changed.`)
  }
  await writeFiles(folder, files, signal)
}

async function writeFiles(folder: string, files: Iterable<ProjectFile>, signal: AbortSignal): Promise<void> {
  const written: string[] = []
  const folders = [...(await createFolder(folder))]
  try {
    for (const { path, text, access } of files) {
      signal.throwIfAborted()
      const file = join(folder, path)
      folders.push(...(await createFolder(dirname(file))))
      const handle = await open(file, 'wx', access === 'private' ? 0o600 : 0o666)
      written.push(file)
      try {
        await handle.writeFile(text)
      } finally {
        await handle.close()
      }
    }
    signal.throwIfAborted()
  } catch (error) {
    await Promise.all(written.map((file) => rm(file, { force: true })))
    for (const created of folders.toReversed()) await removeIfEmpty(created)
    throw error
  }
}

/** @throws ProjectError if the folder is a file or not empty. */
async function requireEmptyFolder(folder: string): Promise<void> {
  const found = await statIfThere(folder)
  if (found === undefined) return
  if (!found.isDirectory()) throw new ProjectError(`${folder} is a file. Choose another folder; nothing was changed.`)
  const [first] = await readdir(folder)
  if (first !== undefined)
    throw new ProjectError(`${folder} is not empty: it contains ${first}. Choose a new folder; nothing was changed.`)
}

const statIfThere = (path: string) =>
  stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })

/** Creates a folder and its parents. @returns those that did not exist, each before its children. */
async function createFolder(folder: string): Promise<readonly string[]> {
  const topmost = await mkdir(folder, { recursive: true })
  if (topmost === undefined) return []
  const created = [folder]
  for (let next = folder; next !== topmost; next = dirname(next)) created.unshift(dirname(next))
  return created
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'ENOENT')) throw error
  })
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
