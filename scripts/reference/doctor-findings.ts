import { globSync } from 'node:fs'

import ts from 'typescript'

import type { PublicApi } from './public-api.ts'

/** A finding that `mintmark doctor` can report, with the texts in the sources. `…` is a value that doctor fills in. */
export interface DoctorFinding {
  readonly check: string
  readonly level: string
  readonly what: string
  readonly fix: string
}

/** Returns every finding, ordered by check and level. */
export const doctorFindings = (api: PublicApi): readonly DoctorFinding[] =>
  globSync(['packages/cli/src/doctor/*.ts', 'packages/cli/src/command/doctor.ts'], {
    exclude: ['**/*.test.ts', '**/target.ts'],
  })
    .flatMap((file) => findingsIn(api.source(file), api.checker))
    .toSorted(
      (left, right) =>
        left.check.localeCompare(right.check) || levels.indexOf(left.level) - levels.indexOf(right.level),
    )

const levels = ['ok', 'warn', 'fail']

function findingsIn(node: ts.Node, checker: ts.TypeChecker): readonly DoctorFinding[] {
  const inner: DoctorFinding[] = []
  ts.forEachChild(node, (child) => void inner.push(...findingsIn(child, checker)))
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || !levels.includes(node.expression.text))
    return inner
  const [check, what, fix] = node.arguments
  if (check === undefined || what === undefined) return inner
  const level = node.expression.text
  const texts = { level, what: textOf(what, checker), fix: fix === undefined ? '' : textOf(fix, checker) }
  return [...inner, ...namesOf(check, checker).map((name) => ({ check: name, ...texts }))]
}

function namesOf(check: ts.Expression, checker: ts.TypeChecker): readonly string[] {
  const type = checker.getTypeAtLocation(check)
  const names = (type.isUnion() ? type.types : [type]).flatMap((part) => (part.isStringLiteral() ? [part.value] : []))
  return names.length === 0 ? [textOf(check, checker)] : names
}

/** Returns the text of an expression. For a conditional expression it returns both texts. */
function textOf(node: ts.Expression, checker: ts.TypeChecker): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].map((each) => textOf(each, checker)).join(' Or: ')
  const declared = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node)?.valueDeclaration : undefined
  return declared !== undefined && ts.isVariableDeclaration(declared) && declared.initializer !== undefined
    ? textOf(declared.initializer, checker)
    : '…'
}
