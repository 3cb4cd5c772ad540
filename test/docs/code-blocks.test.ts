import { basename, dirname } from 'node:path'

import { expect, it } from 'vitest'

import { type Fence, fencesOf, readPages, shownCode, withoutFences } from '../../scripts/markdown.ts'

const fences = readPages().flatMap((page) => fencesOf(page))

it('every block has a language, and TypeScript blocks use one name for it', () => {
  const languages: ReadonlySet<string> = new Set([
    'ts',
    'tsx',
    'js',
    'java',
    'sh',
    'json',
    'sql',
    'http',
    'html',
    'diff',
    'text',
    'yaml',
    'dockerfile',
    'nginx',
    'mermaid',
  ])

  expect(
    fences
      .filter(({ language }) => !languages.has(language))
      .map(({ position, language }) => `${position}: ${language}`),
  ).toEqual([])
})

it('every ts block names the compiled file or region it shows: ```ts examples/minimal/src/server.ts', () => {
  expect(fences.filter(({ language, source }) => language === 'ts' && !isCompiled(source)).map(nameOf)).toEqual([])
})

it('every block that names a source matches it (update with `pnpm generate readme`)', () => {
  expect(fences.filter(({ source, code }) => source.includes('/') && shownCode(source) !== code).map(nameOf)).toEqual(
    [],
  )
})

it('a page shows or describes every file that its code imports', () => {
  const pages = readPages()
  const missing = pages.flatMap((page) => {
    // The second page of the tutorial continues where the first one ends.
    const read = page.path.startsWith('docs/tutorial/')
      ? pages.filter(({ path }) => dirname(path) === dirname(page.path))
      : [page]
    const names = read.flatMap(fencesOf).map(({ source }) => basename(source.split('#')[0] ?? ''))
    // A bundler finds files without their ending.
    const shown = new Set(names.flatMap((name) => [name, name.replace(/\.tsx?$/, '')]))
    const prose = withoutFences(page.text)
    const imported = fencesOf(page).flatMap(({ language, code }) => (language === 'ts' ? importedFiles(code) : []))
    return imported
      .filter((file) => !shown.has(file) && !prose.includes(`${file}\``))
      .map((file) => `${page.path}: ${file}`)
  })

  expect(missing).toEqual([])
})

const importedFiles = (code: string): readonly string[] =>
  Array.from(code.matchAll(/ from '(\.{1,2}\/[^']+)'/g), ([, path = '']) => basename(path))

const nameOf = ({ position, source }: Fence): string => `${position}: ${source}`

/** The files that `pnpm check` compiles, or `next build` in test/packed. */
const isCompiled = (source: string): boolean =>
  /^(?:examples|docs\/snippets|packages)\/[\w./[\]-]+\.ts(?:#[\w-]+)?$/.test(source)
