import { expect, it } from 'vitest'

import { fencesOf, type Fence } from '../../scripts/markdown/fence.ts'
import { readPages } from '../../scripts/markdown/page.ts'
import { shownCode } from '../../scripts/markdown/shown-code.ts'

const fences = readPages().flatMap((page) => fencesOf(page))

it('every block has a language, and TypeScript has one name', () => {
  const languages: ReadonlySet<string> = new Set(['ts', 'sh', 'json', 'sql', 'http', 'html', 'diff', 'text', 'yaml', 'dockerfile', 'nginx', 'mermaid'])

  expect(fences.filter(({ language }) => !languages.has(language)).map(({ place, language }) => `${place}: ${language}`)).toEqual([])
})

it('every ts block names the compiled file, or region of one, that it shows: ```ts examples/minimal/src/server.ts', () => {
  expect(fences.filter(({ language, source }) => language === 'ts' && !isCompiled(source)).map(nameOf)).toEqual([])
})

it('every block that names a source shows it as it is (mend with `pnpm readme`)', () => {
  expect(fences.filter(({ source, code }) => source.includes('/') && shownCode(source) !== code).map(nameOf)).toEqual([])
})

const nameOf = ({ place, source }: Fence): string => `${place}: ${source}`

/** What `pnpm check` compiles. */
const isCompiled = (source: string): boolean => /^(?:examples|test|packages)\/[\w./-]+\.ts(?:#[\w-]+)?$/.test(source)
