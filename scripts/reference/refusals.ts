import type { RefusalRow } from '@mintmark/internal'
import ts from 'typescript'

import { commentAbove } from './closed-union.ts'
import type { PublicApi } from './public-api.ts'

/** A row of a table of refusals, with its doc comment. */
interface DescribedRefusal extends RefusalRow {
  readonly reason: string
  /** Empty if there is no comment. */
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
  return Object.entries(table).map(([name, row]) => ({ ...row, meaning: meanings.get(name) ?? '' }))
}
