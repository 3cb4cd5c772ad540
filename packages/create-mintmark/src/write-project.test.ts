import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { ProjectError } from './project-error.ts'
import { writeProject } from './write-project.ts'
import type { ProjectFile } from './template.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'create-mintmark-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

const file = (path: string, access: ProjectFile['access'] = 'ordinary'): ProjectFile => ({ path, text: path, access })
const files = [file('a'), file(join('b', 'c')), file('.env', 'private')]
const never = new AbortController().signal

test('writes every file, and makes a private file readable only by its owner', async () => {
  const folder = join(parent, 'new', 'server')

  await writeProject(folder, files, never)

  expect(readdirSync(folder).toSorted()).toEqual(['.env', 'a', 'b'])
  expect(readFileSync(join(folder, 'b', 'c'), 'utf8')).toBe(join('b', 'c'))
  if (process.platform !== 'win32') expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
})

test('writes the files to an empty folder', async () => {
  await writeProject(parent, files, never)

  expect(readdirSync(parent)).toHaveLength(3)
})

test('rejects a folder that contains a file, and does not change it', async () => {
  writeFileSync(join(parent, '.hidden'), 'mine')

  const writing = writeProject(parent, files, never)

  const sentence = `${parent} is not empty: it contains .hidden. Choose a new folder; nothing was changed.`
  await expect(writing).rejects.toThrow(new ProjectError(sentence))
  expect(readdirSync(parent)).toEqual(['.hidden'])
})

test('rejects a path of a file, and does not change the file', async () => {
  const folder = join(parent, 'file')
  writeFileSync(folder, 'mine')

  await expect(writeProject(folder, files, never)).rejects.toThrow(`${folder} is a file.`)
  expect(readFileSync(folder, 'utf8')).toBe('mine')
})

const failing = [...files, file(join('a', 'below a file'))]

test('removes every folder that it created when a write fails', async () => {
  await expect(writeProject(join(parent, 'new', 'server'), failing, never)).rejects.toThrow()

  expect(existsSync(join(parent, 'new'))).toBe(false)
})

test('leaves an empty folder empty when a write fails', async () => {
  const folder = join(parent, 'empty')
  mkdirSync(folder)

  await expect(writeProject(folder, failing, never)).rejects.toThrow()

  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['a new folder', 'server'],
  ['an empty folder', ''],
])('in %s, leaves the files of another program when a write fails', async (_, name) => {
  const folder = join(parent, name)
  const disturbed = function* (): Generator<ProjectFile> {
    yield* files
    writeFileSync(join(folder, 'mine'), 'mine')
    writeFileSync(join(folder, 'b', 'mine'), 'mine')
    yield file('mine')
  }

  await expect(writeProject(folder, disturbed(), never)).rejects.toThrow('EEXIST')

  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
    'b',
    join('b', 'mine'),
    'mine',
  ])
})

test('reports the abort when another program has removed a folder of the project before', async () => {
  const stop = new AbortController()
  const disturbed = function* (): Generator<ProjectFile> {
    yield* files
    rmSync(join(parent, 'server', 'b'), { recursive: true })
    stop.abort()
  }

  await expect(writeProject(join(parent, 'server'), disturbed(), stop.signal)).rejects.toThrow('aborted')

  expect(readdirSync(parent)).toEqual([])
})

test.each([0, 1, 2])('leaves no folder when interrupted after file %i', async (last) => {
  const stop = new AbortController()
  const interrupted = function* (): Generator<ProjectFile> {
    for (const [index, next] of files.entries()) {
      yield next
      if (index === last) stop.abort()
    }
  }

  await expect(writeProject(join(parent, 'server'), interrupted(), stop.signal)).rejects.toThrow('aborted')

  expect(readdirSync(parent)).toEqual([])
})
