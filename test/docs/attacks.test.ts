import { existsSync, readdirSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { testTitles } from '../../scripts/test-titles.ts'

interface Row {
  readonly threat: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

const titles = testTitles()
const page = readFileSync('docs/explanation/attacks.md', 'utf8')

it('every attack lists an existing file that stops it and an existing test', () => {
  const rows = rowsOf(page)

  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap((row) => faultsOf(row))).toEqual([])
})

it('has a row for each of the seventeen threats (RFC 9700 §4)', () => {
  const sections = rowsOf(page).flatMap(({ threat }) => /^§4\.(\d+) /.exec(threat)?.[1] ?? [])

  expect(sections.map(Number)).toEqual(Array.from({ length: 17 }, (_, at) => at + 1))
})

it('says of every limit, cache and pool who chooses the key, who spends it and who is refused', () => {
  const [, section = ''] = page.split('## Shared limits, caches and connections')
  const bounded = /\b(?:createMemoryRateLimiter|createRecentMap(?:<.*>)?|createCapacity)\(|\bforgetOldest\([a-z]/
  const sources = ['core', 'internal', 'registration', 'resource-server', 'scim', 'storage-sql'].flatMap((name) =>
    readdirSync(`packages/${name}/src`, { recursive: true, encoding: 'utf8' }).map(
      (file) => `packages/${name}/src/${file}`,
    ),
  )
  const files = sources.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && bounded.test(codeOf(readFileSync(file, 'utf8'))),
  )

  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !notShared.has(file) && !section.includes(`../../${file})`))).toEqual([])
})

/** Files that define the helpers, or use their limiters for others: those who receive them are on the page. */
const notShared: ReadonlySet<string> = new Set([
  'packages/internal/src/caches.ts',
  'packages/registration/src/registration-server.ts',
])

const codeOf = (source: string): string => source.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, '')

it('finds an attack whose file or test is missing', () => {
  const rows = rowsOf(
    '| a | why | [`no.ts`](../../packages/no.ts) | `nobody has this title` |\n| b | why | [`x`](../../package.json) |  |',
  )

  expect(rows.flatMap((row) => faultsOf(row))).toEqual(['a: packages/no.ts', 'a: nobody has this title', 'b: no test'])
})

function rowsOf(text: string): readonly Row[] {
  return text.split('\n').flatMap((line) => {
    const [, threat = '', , where = '', tests = ''] = line.split('|')
    const files = [...where.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)
    return files.length === 0
      ? []
      : [{ threat: threat.trim(), files, tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, part = '']) => part) }]
  })
}

function faultsOf({ threat, files, tests }: Row): readonly string[] {
  const missing = [
    ...files.filter((file) => !existsSync(file)),
    ...tests.filter((part) => !titles.some(({ title }) => title.includes(part))),
  ]
  return [...(tests.length === 0 ? ['no test'] : []), ...missing].map((fault) => `${threat}: ${fault}`)
}
