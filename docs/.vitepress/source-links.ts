import { posix } from 'node:path'

const sources = 'https://github.com/mintmark/mintmark/blob/main'

/**
 * Returns the absolute URL for a link from a page to a file of the repository that is not part of the site.
 * @param target the link as written, relative to the page.
 * @param page the path of the page, below `docs`.
 * @returns undefined for every other link, which stays as it is.
 */
export function sourceUrl(target: string, page: string): string | undefined {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(target)) return undefined
  const [path = '', anchor] = target.split('#')
  const file = posix.join('docs', posix.dirname(page), decodeURI(path))
  // The site consists of the files below docs. A missing page stays a link, so that the build fails.
  if (file.startsWith('docs/') && posix.extname(file) !== '' && !file.startsWith('docs/snippets/')) return undefined
  return `${sources}/${file}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The members of a markdown-it token that this rule uses. */
interface Token {
  readonly type: string
  readonly children: readonly Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

/** Makes links to files that are not part of the site absolute. This is a rule for markdown-it. */
export function linkSources(state: {
  readonly tokens: readonly Token[]
  readonly env: { readonly relativePath?: string }
}) {
  for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
    const url = token.type === 'link_open' && sourceUrl(token.attrGet('href') ?? '', state.env.relativePath ?? '')
    if (typeof url === 'string') token.attrSet('href', url)
  }
}
