import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { ProjectRefused } from './project-refused.ts'
import type { ProjectFile } from './template.ts'
import { writeProject } from './write-project.ts'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'create-mintmark-'))
})
afterEach(() => rmSync(place, { recursive: true }))

const file = (path: string, access: ProjectFile['access'] = 'ordinary'): ProjectFile => ({ path, text: path, access })
const files = [file('a'), file(join('b', 'c')), file('.env', 'private')]
const never = new AbortController().signal

test('writes every file, and a secret for its owner alone', async () => {
  const folder = join(place, 'new', 'server')

  await writeProject(folder, files, never)

  expect(readdirSync(folder).toSorted()).toEqual(['.env', 'a', 'b'])
  expect(readFileSync(join(folder, 'b', 'c'), 'utf8')).toBe(join('b', 'c'))
  if (process.platform !== 'win32') expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
})

test('an empty folder is filled', async () => {
  await writeProject(place, files, never)

  expect(readdirSync(place)).toHaveLength(3)
})

test('a folder with anything in it is refused, and stays as it is', async () => {
  writeFileSync(join(place, '.hidden'), 'mine')

  const writing = writeProject(place, files, never)

  const sentence = `${place} is not empty: there is .hidden. Name a new folder; nothing was changed.`
  await expect(writing).rejects.toThrow(new ProjectRefused(sentence))
  expect(readdirSync(place)).toEqual(['.hidden'])
})

test('a file is refused, and stays as it is', async () => {
  const folder = join(place, 'file')
  writeFileSync(folder, 'mine')

  await expect(writeProject(folder, files, never)).rejects.toThrow(`${folder} is a file.`)
  expect(readFileSync(folder, 'utf8')).toBe('mine')
})

const failing = [...files, file(join('a', 'below a file'))]

test('a failure leaves no folder, nor one above it that was not there', async () => {
  await expect(writeProject(join(place, 'new', 'server'), failing, never)).rejects.toThrow()

  expect(existsSync(join(place, 'new'))).toBe(false)
})

test('a failure leaves an empty folder empty', async () => {
  const folder = join(place, 'empty')
  mkdirSync(folder)

  await expect(writeProject(folder, failing, never)).rejects.toThrow()

  expect(readdirSync(folder)).toEqual([])
})

test.each([0, 1, 2])('an interruption after file %i leaves no folder', async (last) => {
  const stop = new AbortController()
  const interrupted = function* (): Generator<ProjectFile> {
    for (const [index, one] of files.entries()) {
      yield one
      if (index === last) stop.abort()
    }
  }

  await expect(writeProject(join(place, 'server'), interrupted(), stop.signal)).rejects.toThrow('aborted')

  expect(readdirSync(place)).toEqual([])
})
