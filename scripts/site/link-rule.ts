import { siteTarget } from './outward-link.ts'

/** What is used of markdown-it's tokens. */
interface Token {
  readonly type: string
  readonly children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
  tag: string
  attrs: [string, string][] | null
}

interface State {
  readonly tokens: Token[]
  readonly env: { readonly relativePath?: string }
}

/** A rule for markdown-it: links out of `docs` lead to the sources, or are plain text where nobody can read those. */
export const linkRule =
  (sources: string | undefined) =>
  ({ tokens, env }: State): void => {
    for (const { children } of tokens) if (children !== null) rewrite(children, env.relativePath ?? '', sources)
  }

function rewrite(tokens: Token[], page: string, sources: string | undefined): void {
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') open.push(retarget(token, page, sources))
    // The end of a link that is none any more.
    else if (token.type === 'link_close' && open.pop() === false) token.tag = 'span'
  }
}

/** @returns whether it is still a link. */
function retarget(token: Token, page: string, sources: string | undefined): boolean {
  const target = siteTarget(token.attrGet('href') ?? '', page, sources)
  if (target !== undefined) token.attrSet('href', target)
  else {
    token.tag = 'span'
    token.attrs = null
  }
  return target !== undefined
}
