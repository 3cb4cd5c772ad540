/** A token of an HTML parser: a tag with its decoded attributes, or the decoded text between tags. */
export type Token =
  | { readonly kind: 'tag'; readonly name: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'text'; readonly text: string }

/**
 * Tokenizes HTML as in §13.2.5 of the HTML standard, for documents without comments, markup in scripts or hexadecimal
 * references. It shares no code with the templates: it accepts every kind of attribute, quoted or not, and starts a tag
 * wherever a browser would.
 */
export function readHtml(markup: string): readonly Token[] {
  const source = markup.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const tag = matchAt(/<([!/]?[a-z][^\s/>]*)/iy, source, at)
    if (tag === undefined) {
      const end = nextTag(source, at)
      tokens.push({ kind: 'text', text: decode(source.slice(at, end)) })
      at = end
      continue
    }
    const [name, afterName] = [tag[1] ?? '', at + tag[0].length]
    const { attributes, end } = readAttributes(source, afterName)
    tokens.push({ kind: 'tag', name: name.toLowerCase(), attributes })
    at = name.toLowerCase() === 'style' ? source.indexOf('</style', end) : end
  }
  return tokens
}

/** Returns the text of a document, without its tags. */
export const textOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('')

/** Returns the attributes of all tags with one name. */
export const tagsNamed = (tokens: readonly Token[], name: string) =>
  tokens.flatMap((token) => (token.kind === 'tag' && token.name === name ? [token.attributes] : []))

function readAttributes(source: string, start: number): { attributes: Record<string, string>; end: number } {
  const attributes: Record<string, string> = {}
  let at = start
  for (;;) {
    at += matchAt(/[\s/]*/y, source, at)?.[0].length ?? 0
    if (at >= source.length || source[at] === '>') return { attributes, end: at + 1 }

    const name = matchAt(/=?[^\s/>=]*/y, source, at)?.[0] ?? ''
    at += name.length
    const value = matchAt(/\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*))/y, source, at)
    at += value?.[0].length ?? 0
    attributes[name.toLowerCase()] = decode(value?.[1] ?? value?.[2] ?? value?.[3] ?? '')
  }
}

function nextTag(source: string, from: number): number {
  const found = source.slice(from + 1).search(/<[!/?a-z]/i)
  return found === -1 ? source.length : from + 1 + found
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(source) ?? undefined
}

function decode(text: string): string {
  return text
    .replace(/&(?:#(\d+)|(amp|lt|gt|quot|apos));?/gi, (_, code?: string, name?: string) =>
      name === undefined ? String.fromCodePoint(Number(code)) : (named[name] ?? ''),
    )
    .replaceAll('\0', '\uFFFD')
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
