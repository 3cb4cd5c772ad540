import { expect, test } from 'vitest'

import { refusals as adminRefusals } from '../../packages/admin/src/error/refusals.ts'
import { refusals as coreRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as registrationRefusals } from '../../packages/registration/src/refusals.ts'
import { refusals as resourceServerRefusals } from '../../packages/resource-server/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { readSourceFiles } from './source-files.ts'

const sources = (await readSourceFiles('packages')).filter((file) => !file.isTest)

test.each<[string, Readonly<Record<string, readonly unknown[]>>]>([
  ['core', coreRefusals],
  ['scim', scimRefusals],
  ['admin', adminRefusals],
  ['registration', registrationRefusals],
  ['resource-server', resourceServerRefusals],
])('every row of the refusal table of %s cites a section of a standard', (_name, table) => {
  const uncited = Object.entries(table).filter(([, row]) => !row.some((cell) => / §\d/.test(String(cell))))

  expect(Object.keys(table).length).toBeGreaterThan(10)
  expect(uncited).toEqual([])
})

test('only the refusal tables construct the error classes that take a sentence', () => {
  const constructing = sources.filter(({ text }) => /\bnew (?:OAuthError|ScimError|AccessRefusedError)\(/.test(text))

  expect(constructing.map(({ path }) => path).toSorted()).toEqual([
    'packages/core/src/refusals.ts',
    'packages/resource-server/src/refusals.ts',
    'packages/scim/src/error/scim-error.ts',
  ])
})

test('each fault of a request object has a sentence of its own (RFC 9126 §2.3)', () => {
  const rows = Object.entries(coreRefusals).filter(([name]) => name.startsWith('request_object_'))

  expect(new Set(rows.map(([, [, sentence]]) => sentence)).size).toBe(rows.length)
})
