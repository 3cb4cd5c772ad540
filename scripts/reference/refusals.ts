import ts from 'typescript'

import { refusals } from '../../packages/core/src/refusals.ts'
import { commentAbove } from './closed-union.ts'
import type { PublicApi } from './public-api.ts'

/** A row of core's refusal table, with its doc comment. */
export interface DescribedRefusal {
  readonly reason: string
  readonly code: string
  /** Empty if there is no comment. */
  readonly meaning: string
}

/** Returns the rows of core's refusal table, in order. */
export function refusalsOf(api: PublicApi): readonly DescribedRefusal[] {
  const meanings = new Map<string, string>()
  api.source('packages/core/src/refusals.ts').forEachChild(function visit(node): void {
    if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer) && isNamed(node.name)) {
      meanings.set(node.name.text, commentAbove(node))
    }
    ts.forEachChild(node, visit)
  })
  return Object.entries(refusals).map(([row, [code]]) => {
    const [reason = row] = row.split(':')
    return { reason, code, meaning: meanings.get(row) ?? '' }
  })
}

const isNamed = (name: ts.PropertyName): name is ts.Identifier | ts.StringLiteral =>
  ts.isIdentifier(name) || ts.isStringLiteral(name)
