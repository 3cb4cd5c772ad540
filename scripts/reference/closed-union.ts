import ts from 'typescript'

/** A name in a union of string literals, and the comment above it. */
export interface ListedName {
  readonly name: string
  /** Empty if there is no comment. */
  readonly text: string
}

/** Returns the string literals of a union, each with its comment. */
export function namesIn(type: ts.TypeNode): readonly ListedName[] {
  const parts = ts.isUnionTypeNode(type) ? type.types : [type]
  return parts.flatMap((part) =>
    ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal)
      ? [{ name: part.literal.text, text: commentAbove(part) }]
      : [],
  )
}

/** Returns the last doc comment before a node, in one line. */
export function commentAbove(node: ts.Node): string {
  const text = node.getSourceFile().text
  const ranges = commentsBefore(node, text)
  const [, inner = ''] = /^\/\*\*([\s\S]*)\*\/$/.exec(ranges.at(-1) ?? '') ?? []
  return inner
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Returns the comments before a node. The comment of a union member is before its bar. */
function commentsBefore(node: ts.Node, text: string): readonly string[] {
  const bar = text.lastIndexOf('|', node.getStart())
  const isAfterBar = bar !== -1 && text.slice(bar + 1, node.getStart()).trim() === ''
  const [, comment] = isAfterBar ? (/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*$/.exec(text.slice(0, bar)) ?? []) : []
  if (isAfterBar) return comment === undefined ? [] : [comment]
  return (ts.getLeadingCommentRanges(text, node.pos) ?? []).map(({ pos, end }) => text.slice(pos, end))
}
