import type { Page } from './page.ts'

/** A fenced block of code in a page. */
export interface Fence {
  /** `docs/how-to/x.md:12`, for messages. */
  readonly place: string
  /** The first word behind the fence; empty for none. */
  readonly language: string
  /** What else stands behind the fence: the file, or the region of one, that the block shows. */
  readonly source: string
  readonly code: string
}

/** The fenced blocks of a page, in their order. */
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

/** The text with other code in those of its blocks for which there is some. */
export function replaceCode(page: Page, codeOf: (fence: Fence) => string | undefined): string {
  const fences = fencesOf(page)
  const blocks = [...page.text.matchAll(fencePattern)]
  return blocks.reduceRight(
    (text, { 0: block, index, groups: { indent = '', open = '', language = '', info = '' } = {} }, at) => {
      const code = fences[at] && codeOf(fences[at])
      if (code === undefined) return text
      const filled = `${indent}${open}${language}${info}\n${code.replaceAll(/^(?=.)/gm, indent)}${indent}${open}`
      return text.slice(0, index) + filled + text.slice(index + block.length)
    },
    page.text,
  )
}

/** The text without its blocks. */
export const withoutFences = (text: string): string => text.replaceAll(fencePattern, '')

const fencePattern =
  /^(?<indent> *)(?<open>```+)(?<language>[^\s`]*)(?<info>[^\n`]*)\n(?<code>[\s\S]*?)^\k<indent>\k<open>$/gm
