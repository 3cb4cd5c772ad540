/** A row of a table whose last cell quotes the code that has the number. */
export interface Row {
  readonly setting: string
  readonly value: string
  readonly code: string
  readonly file: string
}

/** Returns the rows of a page that quote code. */
export function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/^\| (.+?) \| (.+?) \| .* \| \[`(.+)`\]\(\.\.\/\.\.\/(.+)\) \|$/gm)].map(
    ([, setting = '', value = '', code = '', file = '']) => ({
      setting,
      value,
      code,
      file,
    }),
  )
}

/**
 * Compares a row with the source of its file. Whole numbers of the page, `16,384`, appear in the code as `16_384`.
 */
export function faultsOf({ setting, value, code, file }: Row, source: string): readonly string[] {
  if (!source.includes(code)) return [`${setting}: ${code} is not in ${file}`]
  const inCode: readonly string[] = code.replaceAll('_', '').match(/\d+/g) ?? []
  const told: readonly string[] = value.replaceAll(',', '').match(/(?<!\w)\d+/g) ?? []
  return told
    .filter((number) => !inCode.includes(number))
    .map((number) => `${setting}: ${number} is not what the code says`)
}
