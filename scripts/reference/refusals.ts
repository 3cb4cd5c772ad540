import type { RefusalRow } from '@mintmark/internal'
import ts from 'typescript'

import { commentAbove } from './closed-union.ts'
import type { PublicApi } from './public-api.ts'

/** A row of a table of refusals, with its doc comment. */
interface DescribedRefusal extends RefusalRow {
  readonly reason: string
  /** The comment or, without one, the sentence. Empty if other refusals have the same sentence. */
  readonly meaning: string
}

/** Returns the rows of the table of refusals in a source file, in order. */
export function refusalsOf(
  table: Readonly<Record<string, RefusalRow & { readonly reason: string }>>,
  path: string,
  api: PublicApi,
): readonly DescribedRefusal[] {
  const meanings = new Map<string, string>()
  api.source(path).forEachChild(function visit(node): void {
    if (ts.isPropertyAssignment(node) && ts.isObjectLiteralExpression(node.initializer) && ts.isIdentifier(node.name))
      meanings.set(node.name.text, commentAbove(node))
    ts.forEachChild(node, visit)
  })
  const sentences = Object.values(table).map(({ sentence }) => sentence)
  const own = ({ sentence = '' }: RefusalRow) =>
    sentences.filter((one) => one === sentence).length > 1 ? '' : sentence
  return Object.entries(table).map(([name, row]) => ({ ...row, meaning: meanings.get(name) || own(row) }))
}
