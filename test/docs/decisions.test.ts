import { readdirSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

const decisions = readdirSync('docs/adr').filter((name) => /^\d/.test(name))

it('decisions are numbered without gaps, in their file names and titles', () => {
  expect(decisions.map((name) => Number(name.slice(0, 4)))).toEqual(decisions.map((_, at) => at + 1))
  expect(decisions.filter((name) => !titleOf(name).startsWith(`${Number(name.slice(0, 4))}. `))).toEqual([])
})

it('docs/adr/README.md lists each decision by its title', () => {
  const list = readFileSync('docs/adr/README.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '))

  expect(list).toEqual(decisions.map((name) => `- [${titleOf(name)}](${name})`))
})

function titleOf(name: string): string {
  return /^# (.+)$/m.exec(readFileSync(`docs/adr/${name}`, 'utf8'))?.[1] ?? ''
}
