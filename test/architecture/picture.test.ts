import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { readSourceFiles } from './source-files.ts'

const page = readFileSync('docs/explanation/architecture.md', 'utf8')
const picture = /```mermaid\n(.*?)```/s.exec(page)?.[1] ?? ''

test('the package diagram has exactly one arrow for each package that another one imports', async () => {
  const sources = (await readSourceFiles('packages')).filter((file) => !file.isTest)
  const arrows = sources.flatMap(({ packageName, imports }) =>
    imports.flatMap(({ specifier }) => {
      const imported = /^@mintmark\/([\w-]+)/.exec(specifier)?.[1]
      return imported === undefined || imported === packageName ? [] : [`${packageName} --> ${imported}`]
    }),
  )

  expect([...picture.matchAll(/^ *([\w-]+ --> [\w-]+)$/gm)].map(([, arrow = '']) => arrow).toSorted()).toEqual(
    [...new Set(arrows)].toSorted(),
  )
})

test('every package appears in the diagram, and in the text unless it is an adapter or a store', () => {
  const packages = readdirSync('packages')

  expect(packages.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(picture))).toEqual([])
  expect(
    packages.filter(
      (name) => !page.includes(`\`${name}\``) && !name.startsWith('adapter-') && !name.startsWith('storage-'),
    ),
  ).toEqual([])
})
