import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'
import { faultsOf, rowsOf } from './rows-with-code.ts'

const page = readFileSync('docs/reference/limits.md', 'utf8')
const options = readFileSync('docs/reference/options.md', 'utf8')

it('the page of limits has every option that is a limit, with its default', () => {
  const limits = optionsThatLimit(options)

  expect(limits.length).toBeGreaterThan(25)
  expect(limits.filter(({ name }) => !page.includes(name))).toEqual([])
  expect(limits.flatMap((limit) => missingDefault(limit, page))).toEqual([])
})

it('every limit without an option matches the code that the page links to', () => {
  const rows = rowsOf(page)

  expect(rows.length).toBeGreaterThan(55)
  expect(rows.flatMap((row) => faultsOf(row, readFileSync(row.file, 'utf8')))).toEqual([])
})

it('finds an option that the page lacks, and a default that the page states differently', () => {
  const [limit] = optionsThatLimit('#### `limits.users`\n\n`number`\\\nUsers.\\\nDefault: 1000000. Many.\n')

  expect(limit).toEqual({ name: 'limits.users', value: '1,000,000' })
  expect(limit && missingDefault(limit, '| users | 1,000,000 | 403 | `limits.users` |')).toEqual([])
  expect(limit && missingDefault(limit, '| users | 2,000,000 | 403 | `limits.users` |')).toEqual([
    'limits.users: 1,000,000',
  ])
})

interface Limit {
  readonly name: string
  /** The default as the page writes it; undefined if it is not one number. */
  readonly value: string | undefined
}

function optionsThatLimit(text: string): readonly Limit[] {
  return [...text.matchAll(/^(?:\*\*|#### )`([\w.]+)`(?:\*\* |\n\n)`[^`]*`\\\n(?:.*\n)?Default: (.*)$/gm)]
    .map(([, name = '', defaultText = '']) => ({ name, value: pageNumber(/^(\d+)(?![\d,])/.exec(defaultText)?.[1]) }))
    .filter(({ name }) => /^(?:limits|filterLimits|pageLimits|rateLimits)\.|^(?:scanLimit|requestLimit)$/.test(name))
}

const units = new Map([
  [4_194_304, '4 MiB'],
  [8_388_608, '8 MiB'],
  [33_554_432, '32 MiB'],
  [134_217_728, '128 MiB'],
  [262_144, '256 KiB'],
  [3600, '1 hour'],
])

const pageNumber = (digits: string | undefined): string | undefined =>
  digits === undefined ? undefined : (units.get(Number(digits)) ?? Number(digits).toLocaleString('en'))

/** A row of the page names the option and has its default. */
function missingDefault({ name, value }: Limit, text: string): readonly string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && line.includes(`${name}\``))
  return value === undefined || rows.some((row) => row.includes(` ${value}`)) ? [] : [`${name}: ${value}`]
}
