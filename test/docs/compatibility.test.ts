import { readdirSync, readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { installedVersion } from '../../scripts/compatibility-page.ts'
import { foreignRoles, pinnedVersion } from '../foreign-clients/foreign-client.ts'
import { foreignClients } from '../foreign-clients/foreign-clients.ts'
import { triedSoftware } from '../interop/tried-software.ts'

const page = readFileSync('docs/compatibility.md', 'utf8')
const [inTests = '', inOtherLanguages = ''] = page.split(`## ${foreignRoles[0]}`)
const flows = linesOf(inTests)
const files = readdirSync('test/interop').flatMap((name) =>
  name.endsWith('.test.ts') ? [name.slice(0, -'.test.ts'.length)] : [],
)

describe('docs/compatibility.md (update with `pnpm generate compatibility`)', () => {
  it('assigns every test file of test/interop to one product', () => {
    expect(triedSoftware.flatMap((software) => software.files).toSorted()).toEqual(files.toSorted())
  })

  it.each(triedSoftware)('names $name with the installed version and each of its files', (software) => {
    const version = installedVersion(software)

    expect(page).toContain(`### ${software.name}${version === undefined ? '' : ` ${version}`}`)
    for (const file of software.files) expect(page).toContain(`[${file}](../test/interop/${file}.test.ts)`)
  })

  it.each(files)('has a line for each test of %s', (file) => {
    expect(titlesOf(file).filter((title) => !flows.some((flow) => title.test(flow)))).toEqual([])
  })

  it.each(foreignClients)('names $name with its pinned version and setting', (client) => {
    expect(inOtherLanguages).toContain(`### ${client.name} ${pinnedVersion(client) ?? ''}`)
    expect(inOtherLanguages).toContain(client.setUp ?? 'It needs no particular settings.')
  })

  it('lists only existing checks of clients in other languages', () => {
    const checks = foreignClients.flatMap((client) => client.checks)

    expect(linesOf(inOtherLanguages).filter((line) => !checks.includes(line) && !line.startsWith('Fails: '))).toEqual(
      [],
    )
  })

  it('has no line for a test that no longer exists', () => {
    const titles = files.flatMap((file) => titlesOf(file))

    expect(flows.filter((flow) => !titles.some((title) => title.test(flow)))).toEqual([])
  })
})

/** Returns patterns for the titles of a file's tests and of its suites; a parameter in a title matches anything. */
function titlesOf(file: string): readonly RegExp[] {
  const testFile = readFileSync(`test/interop/${file}.test.ts`, 'utf8')
  const suites = [...testFile.matchAll(/from '\.\/(.*-suite\.ts)'/g)].map(([, suite = '']) =>
    readFileSync(`test/interop/${suite}`, 'utf8'),
  )
  const source = [testFile, ...suites].join('\n')
  const calls = source.matchAll(
    /\b(?:it|test)(?:\.each(?:<[^\n]*>)?\((?:.*?)\n?\s*\](?: as const)?\))?\(\s*(['"`])([^\n]*?)\1,/gs,
  )
  return [...calls].map(([, , title = '']) => new RegExp(`^${escapeRegExp(title).replaceAll(/%[si]/g, '.*')}$`))
}

function linesOf(text: string): readonly string[] {
  return [...text.matchAll(/^- (.*)$/gm)].map(([, line = '']) => line)
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
