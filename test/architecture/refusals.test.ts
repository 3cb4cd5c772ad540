import { expect, test } from 'vitest'

import { readSourceFiles, type SourceFile } from './source-files.ts'

/** The packages that refuse requests in the words of a standard. */
const refusing: ReadonlySet<string> = new Set(['core', 'scim', 'admin', 'resource-server'])

const sources = (await readSourceFiles('packages')).filter((file) => refusing.has(file.packageName) && !file.isTest)

test('every refusal cites a section of a standard within three lines', () => {
  expect(sources.flatMap((file) => uncitedThrows(file))).toEqual([])
})

test('every group of a refusal table cites its section', () => {
  const tables = sources.filter(({ path }) => path.endsWith('/error/refusals.ts'))

  expect(tables).toHaveLength(2)
  expect(tables.flatMap((file) => uncitedGroups(file))).toEqual([])
})

test('finds a refusal without a citation, or with one too far away', () => {
  const file = (text: string): SourceFile => ({ path: 'a.ts', packageName: 'core', isTest: false, text, imports: [] })

  expect(uncitedThrows(file("throw new OAuthError('invalid_request', 'No.', { reason: 'x' })"))).toEqual(['a.ts:1'])
  expect(uncitedThrows(file("// RFC 6749 §5.2.\n\n\n\nif (x) throw invalidGrant('x')"))).toEqual(['a.ts:5'])
  expect(
    uncitedThrows(
      file("// RFC 6749 §5.2.\n\n\nif (x) throw await refusal('x')\nthrow error\nthrow new TypeError('x')"),
    ),
  ).toEqual([])
  expect(
    uncitedGroups(
      file(
        "export const refusals = {\n  // Why.\n  a: [400, 'No.'],\n\n  // RFC 6749 §5.2.\n  b: [400, 'No.'],\n} as const",
      ),
    ),
  ).toEqual(['a.ts: a'])
})

function uncitedThrows({ path, text }: SourceFile): readonly string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isCited = lines.slice(Math.max(0, at - 3), at + 4).some((near) => citation.test(near))
    return refusal.test(line) && !isCited ? [`${path}:${at + 1}`] : []
  })
}

/** Rows are in groups, with a comment in front of each and an empty line between them. */
function uncitedGroups({ path, text }: SourceFile): readonly string[] {
  const table = /^export const refusals = \{\n(.*?)^\} as const/ms.exec(text)?.[1] ?? ''
  return table
    .split('\n\n')
    .filter((group) => !citation.test(group))
    .map((group) => `${path}: ${/^ *(\w+):/m.exec(group)?.[1] ?? group}`)
}

/** An error of a protocol, or what a function makes, such as `invalidGrant(…)`; `to…` passes one on that was thrown before. */
const refusal =
  /\bthrow (?:await )?(?:new (?:OAuthError|RedirectableError|ScimError|AdminError)\b|(?!to[A-Z])[a-z]\w*\()/

const citation = /§|\bAppendix [A-Z]/
