import { readdirSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

const page = readFileSync('AGENTS.md', 'utf8')

it('AGENTS.md has fewer than a hundred lines', () => {
  expect(page.split('\n').length).toBeLessThan(100)
})

it('the map in AGENTS.md lists every package and every folder of test', () => {
  const packages = readdirSync('packages').map((name) => `\`packages/${name}\``)
  const folders = readdirSync('test').map((name) => `\`${name}\``)

  expect([...packages, ...folders].filter((name) => !page.includes(name))).toEqual([])
})
