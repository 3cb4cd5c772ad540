import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { refusals as serverRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as apiRefusals } from '../../packages/resource-server/src/refusals.ts'

const [, atServer = '', atApi = ''] = readFileSync('docs/how-to/troubleshooting.md', 'utf8').split(
  /^## By (?:error|reason).*$/m,
)

it('the page says for every reason of the authorization server what to do, below the error code', () => {
  const rows = Object.entries(serverRefusals).map(([row, [code]]) => ({ reason: row.split(':')[0] ?? '', code }))
  const entries = sections(atServer)

  expect(
    rows.filter(
      ({ reason, code }) => !entries.some(({ codes, text }) => codes.has(code) && text.includes(`\`${reason}\``)),
    ),
  ).toEqual([])
})

it('the page says for every reason of an API what to do', () => {
  expect(Object.keys(apiRefusals).filter((reason) => !atApi.includes(`\`${reason}\``))).toEqual([])
})

it.each([
  ['the authorization server', atServer, new Set(Object.keys(serverRefusals).map((row) => row.split(':')[0]))],
  ['an API', atApi, new Set<string | undefined>(Object.keys(apiRefusals))],
])('the page names no reason that %s does not have', (_, text, reasons) => {
  const named = [...text.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))

  expect(named.filter((reason) => !reasons.has(reason))).toEqual([])
})

/** The sections with the error codes of their headings. */
function sections(text: string): readonly { readonly codes: ReadonlySet<string>; readonly text: string }[] {
  return text.split(/^### /m).map((section) => {
    const [heading = ''] = section.split('\n')
    return { codes: new Set(heading.split(', ')), text: section }
  })
}
