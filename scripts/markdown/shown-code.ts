import { existsSync, readFileSync } from 'node:fs'

/**
 * The code that a fence shows: a whole file, or what stands between `// #region name` and `// #endregion name` in it,
 * moved to the left.
 * @param source `examples/minimal/src/server.ts` or `docs/snippets/rotate-keys/vault.ts#vault`.
 * @returns undefined when there is no such file or region.
 */
export function shownCode(source: string): string | undefined {
  const [file = '', region] = source.split('#')
  if (!existsSync(file)) return undefined
  const code = readFileSync(file, 'utf8')
  return region === undefined ? withoutMarks(code) : regionOf(code, region)
}

function regionOf(code: string, region: string): string | undefined {
  const lines = code.split('\n')
  const from = lines.findIndex((line) => line.trim() === `// #region ${region}`)
  const to = lines.findIndex((line) => line.trim() === `// #endregion ${region}`)
  return from === -1 || to < from ? undefined : outdented(withoutMarks(lines.slice(from + 1, to).join('\n') + '\n'))
}

const withoutMarks = (code: string): string => code.replaceAll(/^ *\/\/ #(?:end)?region \S+\n/gm, '')

function outdented(code: string): string {
  const depths = code.split('\n').flatMap((line) => (line === '' ? [] : [line.search(/\S/)]))
  const depth = Math.min(...depths)
  return code.replaceAll(new RegExp(`^ {${depth}}`, 'gm'), '')
}
