import { expect, test } from 'vitest'

import { refusals as adminRefusals } from '../../packages/admin/src/error/refusals.ts'
import { refusals as coreRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { readSourceFiles, type SourceFile } from './source-files.ts'

const sources = (await readSourceFiles('packages')).filter((file) => !file.isTest)

test.each<[string, Readonly<Record<string, readonly unknown[]>>]>([
  ['core', coreRefusals],
  ['scim', scimRefusals],
  ['admin', adminRefusals],
])('every row of the refusal table of %s cites a section of a standard', (_name, table) => {
  const uncited = Object.entries(table).filter(([, row]) => !/ §\d/.test(String(row.at(-1))))

  expect(Object.keys(table).length).toBeGreaterThan(30)
  expect(uncited).toEqual([])
})

test('every refusal of the resource server cites a section of a standard within three lines', () => {
  const files = sources.filter(({ packageName }) => packageName === 'resource-server')

  expect(files.flatMap((file) => uncitedThrows(file))).toEqual([])
})

test('only the refusal tables construct the error classes that take a sentence', () => {
  const constructing = sources.filter(({ text }) => /\bnew (?:OAuthError|ScimError)\(/.test(text))

  expect(constructing.map(({ path }) => path).toSorted()).toEqual([
    'packages/core/src/refusals.ts',
    'packages/scim/src/error/scim-error.ts',
  ])
})

test('finds a refusal without a citation, or with one too far away', () => {
  const file = (text: string): SourceFile => ({
    path: 'a.ts',
    packageName: 'resource-server',
    isTest: false,
    text,
    imports: [],
  })

  expect(uncitedThrows(file("throw new AccessRefusedError('invalid_request', 'x')"))).toEqual(['a.ts:1'])
  expect(uncitedThrows(file("// RFC 6750 §3.1.\n\n\n\nif (x) throw invalidToken('x')"))).toEqual(['a.ts:5'])
  expect(
    uncitedThrows(
      file("// RFC 6750 §3.1.\n\n\nif (x) throw await refusal('x')\nthrow error\nthrow new TypeError('x')"),
    ),
  ).toEqual([])
})

function uncitedThrows({ path, text }: SourceFile): readonly string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isCited = lines.slice(Math.max(0, at - 3), at + 4).some((near) => citation.test(near))
    return refusal.test(line) && !isCited ? [`${path}:${at + 1}`] : []
  })
}

/** An error of a protocol, or what a function makes, such as `invalidToken(…)`; `to…` converts one that was thrown before. */
const refusal = /\bthrow (?:await )?(?:new AccessRefusedError\b|(?!to[A-Z])[a-z]\w*\()/

const citation = /§|\bAppendix [A-Z]/
