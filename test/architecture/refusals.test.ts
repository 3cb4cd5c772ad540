import type { RefusalRow } from '@mintmark/internal'
import { expect, test } from 'vitest'

import { refusals as adminRefusals } from '../../packages/admin/src/error/refusals.ts'
import { refusals as coreRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as registrationRefusals } from '../../packages/registration/src/refusals.ts'
import { refusals as resourceServerRefusals } from '../../packages/resource-server/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { refusals as signalRefusals } from '../../packages/signals/src/refusals.ts'
import { readSourceFiles } from './source-files.ts'

const sources = (await readSourceFiles('packages')).filter((file) => !file.isTest)

test.each<[string, Readonly<Record<string, RefusalRow>>]>([
  ['core', coreRefusals],
  ['scim', scimRefusals],
  ['admin', adminRefusals],
  ['registration', registrationRefusals],
  ['resource-server', resourceServerRefusals],
  ['signals', signalRefusals],
])('every row of the refusal table of %s cites a section of a standard', (_name, table) => {
  const uncited = Object.entries(table).filter(([, { section }]) => !/ §\d/.test(section))

  expect(Object.keys(table).length).toBeGreaterThan(10)
  expect(uncited).toEqual([])
})

test('only the functions `refuse` construct the errors of the services', () => {
  const classes = /\bnew (?:OAuth|Scim|Admin|Registration|Signal|Console|AccessRefused)Error\(/
  const constructing = sources.filter(({ text }) => classes.test(text))

  expect(constructing.map(({ path }) => path).toSorted()).toEqual([
    'packages/admin/src/error/refusals.ts',
    // It needs the sentences of reasons, and throws none.
    'packages/cli/src/command/user-import.ts',
    'packages/console/src/refusals.ts',
    'packages/core/src/refusals.ts',
    'packages/registration/src/refusals.ts',
    'packages/resource-server/src/refusals.ts',
    'packages/scim/src/error/scim-error.ts',
    'packages/signals/src/refusals.ts',
  ])
})

test('each fault of a request object has a sentence of its own (RFC 9126 §2.3)', () => {
  const rows = Object.entries(coreRefusals).filter(([name]) => name.startsWith('request_object_'))

  expect(new Set(rows.map(([, { sentence }]) => sentence)).size).toBe(rows.length)
})
