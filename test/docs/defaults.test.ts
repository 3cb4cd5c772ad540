import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

interface Row {
  readonly setting: string
  readonly value: string
  readonly code: string
  readonly file: string
}

const page = readFileSync('docs/explanation/defaults.md', 'utf8')

it('every default on the page matches the code it names', () => {
  const rows = rowsOf(page)

  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap((row) => faultsOf(row, readFileSync(row.file, 'utf8')))).toEqual([])
})

it('finds a value that the code does not have, and code that no longer exists', () => {
  const [row] = rowsOf('| a | 16,384 bytes | why | price | [`limit: 16_384`](../../a.ts) |')

  expect(row && faultsOf(row, 'limit: 16_384,')).toEqual([])
  expect(row && faultsOf(row, 'limit: 16_385,')).toEqual(['a: limit: 16_384 is not in a.ts'])
  expect(row && faultsOf({ ...row, value: '16,385 bytes' }, 'limit: 16_384,')).toEqual([
    'a: 16385 is not what the code says',
  ])
})

function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/^\| (.+?) \| (.+?) \| .* \| \[`(.+)`\]\(\.\.\/\.\.\/(.+)\) \|$/gm)].map(
    ([, setting = '', value = '', code = '', file = '']) => ({
      setting,
      value,
      code,
      file,
    }),
  )
}

/** Whole numbers of the page, `16,384`, appear in the code as `16_384`. */
function faultsOf({ setting, value, code, file }: Row, source: string): readonly string[] {
  if (!source.includes(code)) return [`${setting}: ${code} is not in ${file}`]
  const inCode: readonly string[] = code.replaceAll('_', '').match(/\d+/g) ?? []
  const told: readonly string[] = value.replaceAll(',', '').match(/(?<!\w)\d+/g) ?? []
  return told
    .filter((number) => !inCode.includes(number))
    .map((number) => `${setting}: ${number} is not what the code says`)
}
