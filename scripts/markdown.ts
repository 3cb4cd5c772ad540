import { existsSync, globSync, readFileSync } from 'node:fs'

/** A Markdown file that is written for readers. */
export interface Page {
  /** The path from the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Returns every Markdown file of the repository, except API reports and generated files that are not committed. */
export const readPages = (): readonly Page[] =>
  globSync('**/*.md', {
    exclude: ['**/node_modules', '**/dist', 'docs/.vitepress', 'docs/reference/api', 'packages/*/api'],
  })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** A fenced block of code in a page. */
export interface Fence {
  /** The file and line for messages, such as `docs/how-to/x.md:12`. */
  readonly position: string
  /** The first word after the fence; empty if there is none. */
  readonly language: string
  /** The rest of the line: the file, or the region of a file, that the block shows. */
  readonly source: string
  readonly code: string
}

/** Returns the fenced blocks of a page, in order. */
export function fencesOf({ path, text }: Page): readonly Fence[] {
  return [...text.matchAll(fencePattern)].map(
    ({ index, groups: { indent = '', language = '', info = '', code = '' } = {} }) => ({
      position: `${path}:${text.slice(0, index).split('\n').length}`,
      language,
      source: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

/** Returns the text without its fenced blocks. */
export const withoutFences = (text: string): string => text.replaceAll(fencePattern, '')

/** Returns the text of a page with the current code of its sources in the blocks. */
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
 * Returns the code that a block shows: a complete file, or the lines between `// #region name` and
 * `// #endregion name`, without common indentation. Returns undefined if the file or region does not exist.
 * @param source `examples/minimal/src/server.ts` or `docs/snippets/rotate-keys/vault.ts#vault`.
 */
export function shownCode(source: string): string | undefined {
  const [file = '', region] = source.split('#')
  if (!file.includes('/') || !existsSync(file)) return undefined
  const code = readFileSync(file, 'utf8')
  const part = region === undefined ? code : new RegExp(regionPattern(region), 'm').exec(code)?.[1]
  return part === undefined ? undefined : outdent(part.replaceAll(/^ *\/\/ #(?:end)?region \S+\n/gm, ''))
}

const regionPattern = (name: string): string => `^ *// #region ${name}\\n([\\s\\S]*?)^ *// #endregion ${name}$`

function outdent(code: string): string {
  const depths = code.split('\n').flatMap((line) => (line === '' ? [] : [line.search(/\S/)]))
  return code.replaceAll(new RegExp(`^ {${Math.min(...depths)}}`, 'gm'), '')
}
