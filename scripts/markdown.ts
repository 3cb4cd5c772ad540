import { existsSync, globSync, readFileSync } from 'node:fs'

/** A Markdown file for people. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Every Markdown file of the repository, except those that are generated and not committed. */
export const readPages = (): readonly Page[] =>
  globSync('**/*.md', {
    exclude: ['**/node_modules', '**/dist', 'docs/.vitepress', 'docs/reference/api', 'packages/*/api'],
  })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** A fenced block of code in a page. */
export interface Fence {
  /** `docs/how-to/x.md:12`, for messages. */
  readonly place: string
  /** The first word after the fence; empty for none. */
  readonly language: string
  /** The rest of that line: the file, or the region of a file, that the block shows. */
  readonly source: string
  readonly code: string
}

/** The fenced blocks of a page, in order. */
export function fencesOf({ path, text }: Page): readonly Fence[] {
  return [...text.matchAll(fencePattern)].map(
    ({ index, groups: { indent = '', language = '', info = '', code = '' } = {} }) => ({
      place: `${path}:${text.slice(0, index).split('\n').length}`,
      language,
      source: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

/** The text without its blocks. */
export const withoutFences = (text: string): string => text.replaceAll(fencePattern, '')

/** The text of a page whose blocks show what is in their sources now. */
export const withCurrentCode = ({ text }: Page): string =>
  text.replaceAll(fencePattern, (...match) => {
    const { indent, open, language, info } = match.at(-1) as Readonly<Record<string, string>>
    const code = shownCode((info ?? '').trim())
    if (code === undefined) return match[0]
    return `${indent}${open}${language}${info}\n${code.replaceAll(/^(?=.)/gm, indent ?? '')}${indent}${open}`
  })

const fencePattern =
  /^(?<indent> *)(?<open>```+)(?<language>[^\s`]*)(?<info>[^\n`]*)\n(?<code>[\s\S]*?)^\k<indent>\k<open>$/gm

/**
 * The code that a block shows: a whole file, or what is between `// #region name` and `// #endregion name` in it, without
 * common indentation.
 * @param source `examples/minimal/src/server.ts` or `docs/snippets/rotate-keys/vault.ts#vault`.
 * @returns undefined when there is no such file or region.
 */
export function shownCode(source: string): string | undefined {
  const [file = '', region] = source.split('#')
  if (!file.includes('/') || !existsSync(file)) return undefined
  const code = readFileSync(file, 'utf8')
  const shown = region === undefined ? code : new RegExp(regionPattern(region), 'm').exec(code)?.[1]
  return shown === undefined ? undefined : outdented(shown.replaceAll(/^ *\/\/ #(?:end)?region \S+\n/gm, ''))
}

const regionPattern = (name: string): string => `^ *// #region ${name}\\n([\\s\\S]*?)^ *// #endregion ${name}$`

function outdented(code: string): string {
  const depths = code.split('\n').flatMap((line) => (line === '' ? [] : [line.search(/\S/)]))
  return code.replaceAll(new RegExp(`^ {${Math.min(...depths)}}`, 'gm'), '')
}
