import ts from 'typescript'

/** A name of a closed list, and the line that stands above it. */
export interface ListedName {
  readonly name: string
  /** Empty when there is none. */
  readonly text: string
}

/** The texts that a type admits, each with its comment. */
export function namesIn(type: ts.TypeNode): readonly ListedName[] {
  const parts = ts.isUnionTypeNode(type) ? type.types : [type]
  return parts.flatMap((part) =>
    ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal)
      ? [{ name: part.literal.text, text: commentAbove(part) }]
      : [],
  )
}

/** The last doc comment in front of a node, in one line. */
export function commentAbove(node: ts.Node): string {
  const text = node.getSourceFile().text
  const ranges = commentsBefore(node, text)
  const [, inner = ''] = /^\/\*\*([\s\S]*)\*\/$/.exec(ranges.at(-1) ?? '') ?? []
  return inner
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** In front of a member of a union a comment stands before the bar. */
function commentsBefore(node: ts.Node, text: string): readonly string[] {
  const bar = text.lastIndexOf('|', node.getStart())
  const isBehindBar = bar !== -1 && text.slice(bar + 1, node.getStart()).trim() === ''
  const [, comment] = isBehindBar ? (/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*$/.exec(text.slice(0, bar)) ?? []) : []
  if (isBehindBar) return comment === undefined ? [] : [comment]
  return (ts.getLeadingCommentRanges(text, node.pos) ?? []).map(({ pos, end }) => text.slice(pos, end))
}
