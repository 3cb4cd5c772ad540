/** A row of a table whose last cell quotes the code that contains the number. */
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

/** Returns the differences between a row and the source of its file. The page writes `16,384`, the code `16_384`. */
export function faultsOf({ setting, value, code, file }: Row, source: string): readonly string[] {
  if (!source.includes(code)) return [`${setting}: ${code} is not in ${file}`]
  const inCode: readonly string[] = code.replaceAll('_', '').match(/\d+/g) ?? []
  const onPage: readonly string[] = value.replaceAll(',', '').match(/(?<!\w)\d+/g) ?? []
  return onPage.filter((number) => !inCode.includes(number)).map((number) => `${setting}: ${number} is not in the code`)
}
