import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { refusals as serverRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as apiRefusals } from '../../packages/resource-server/src/refusals.ts'

const [, atServer = '', atApi = ''] = readFileSync('docs/how-to/troubleshooting.md', 'utf8').split(
  /^## By (?:error|reason).*$/m,
)

it('the page says for every reason of the authorization server what to do', () => {
  const reasons = Object.values(serverRefusals).map(({ reason }) => reason)

  expect(reasons.filter((reason) => !atServer.includes(`\`${reason}\``))).toEqual([])
})

it('the page has a heading with every error code of the authorization server', () => {
  const headings = [...atServer.matchAll(/^### (.+)$/gm)].flatMap(([, codes = '']) => codes.split(', '))

  expect(headings.toSorted()).toEqual([...new Set(Object.values(serverRefusals).map(({ code }) => code))].toSorted())
})

it('the page says for every reason of an API what to do', () => {
  expect(Object.keys(apiRefusals).filter((reason) => !atApi.includes(`\`${reason}\``))).toEqual([])
})

it.each([
  ['the authorization server', atServer, new Set<string>(Object.values(serverRefusals).map(({ reason }) => reason))],
  ['an API', atApi, new Set<string>(Object.keys(apiRefusals))],
])('the page names no reason that %s does not have', (_, text, reasons) => {
  const named = [...text.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))

  expect(named.filter((reason) => !reasons.has(reason))).toEqual([])
})
