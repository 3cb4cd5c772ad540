import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, inject, it } from 'vitest'

const { folder } = inject('outside')
const { packages } = inject('packed')

it.each(packages.map(({ name }) => name))('%s: bundled third-party code comes with its licences', (name) => {
  const installed = join(folder, 'node_modules', name)
  const notices = join(installed, 'dist/THIRD-PARTY-NOTICES.txt')

  const text = existsSync(notices) ? readFileSync(notices, 'utf8') : ''

  expect(text.match(/^\S+(?= \d+\.\d+\.\d+$)/gm) ?? []).toEqual(carriedBy(installed))
  expect(text.match(/^Permission is hereby granted/gm) ?? []).toHaveLength(carriedBy(installed).length)
})

it('zod is bundled in core and Kysely in storage-sql (docs/adr/0017)', () => {
  const carried = ['core', 'storage-sql'].map((name) => carriedBy(join(folder, 'node_modules/@mintmark', name)))

  expect(carried).toEqual([['zod'], ['kysely']])
})

/** The third-party packages whose code its files contain, according to the source maps. */
function carriedBy(installed: string): readonly string[] {
  const sources = globSync('dist/**/*.js.map', { cwd: installed }).flatMap(
    (map) =>
      (JSON.parse(readFileSync(join(installed, map), 'utf8')) as { readonly sources: readonly string[] }).sources,
  )
  const names = sources
    .map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1])
    .filter((one) => one !== undefined)
  return [...new Set(names)].toSorted()
}
