import { globSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { entryFiles } from '../../scripts/reference/public-api.ts'

const page = readFileSync('docs/reference/sizes.md', 'utf8')
const recorded = Array.from(page.matchAll(/^\| `([^`]+)`(, packed)? \| \d+ \|$/gm), ([, name = '', packed]) =>
  packed === undefined ? name : `${name} packed`,
)

it('every import path and every package has a recorded size, which is its limit (update with `pnpm generate sizes`)', () => {
  const names = entryFiles().map(({ name }) => name)
  const packages = globSync('packages/*/package.json')
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as { readonly name: string; readonly private?: boolean })
    .filter((manifest) => manifest.private !== true)

  expect(recorded.toSorted()).toEqual([...names, ...packages.map(({ name }) => `${name} packed`)].toSorted())
})

it('every recorded growth has a reason', () => {
  expect(page).toMatch(/^- \d{4}-\d\d-\d\d: \S/m)
})
