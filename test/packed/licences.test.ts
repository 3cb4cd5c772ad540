import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, inject, it } from 'vitest'

const { folder } = inject('outside')
const { packages } = inject('packed')

it.each(packages.map(({ name }) => name))(
  '%s contains the licences of the third-party code that it bundles',
  (name) => {
    const installed = join(folder, 'node_modules', name)
    const notices = join(installed, 'dist/THIRD-PARTY-NOTICES.txt')

    const text = existsSync(notices) ? readFileSync(notices, 'utf8') : ''

    expect(text.match(/^\S+(?= \d+\.\d+\.\d+$)/gm) ?? []).toEqual(bundledPackages(installed))
    expect(text.match(/^Permission is hereby granted/gm) ?? []).toHaveLength(bundledPackages(installed).length)
  },
)

it('zod is bundled in core and Kysely in storage-sql (docs/adr/0017)', () => {
  const bundled = ['core', 'storage-sql'].map((name) => bundledPackages(join(folder, 'node_modules/@mintmark', name)))

  expect(bundled).toEqual([['zod'], ['kysely']])
})

/** Returns the third-party packages whose code the files contain, according to the source maps. */
function bundledPackages(installed: string): readonly string[] {
  const sources = globSync('dist/**/*.js.map', { cwd: installed }).flatMap(
    (map) =>
      (JSON.parse(readFileSync(join(installed, map), 'utf8')) as { readonly sources: readonly string[] }).sources,
  )
  const names = sources
    .map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1])
    .filter((name) => name !== undefined)
  return [...new Set(names)].toSorted()
}
