import { globSync } from 'node:fs'

import ts from 'typescript'

import type { PublicApi } from './public-api.ts'

/** A code and a reason that an `OAuthError` is made with. */
export interface ThrownCode {
  /** `packages/core/src/token/redeem-code.ts:60`. */
  readonly place: string
  readonly code: string
  readonly reason: string
}

/** Every code and reason that stand together in the sources of core, where both are certain from their types. */
export const thrownCodes = (api: PublicApi): readonly ThrownCode[] =>
  globSync('packages/core/src/**/*.ts', { exclude: ['**/*.test.ts'] })
    .filter((file) => file !== 'packages/core/src/error/oauth-error.ts')
    .toSorted()
    .flatMap((file) => thrownIn(api.source(file), api.checker))

function thrownIn(node: ts.Node, checker: ts.TypeChecker): readonly ThrownCode[] {
  const inner: ThrownCode[] = []
  ts.forEachChild(node, (child) => void inner.push(...thrownIn(child, checker)))
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'OAuthError') return inner
  const [code, , options] = node.arguments ?? []
  const reason = options && checker.getTypeAtLocation(options).getProperty('reason')
  if (code === undefined || options === undefined || reason === undefined) return inner
  const source = node.getSourceFile()
  const place = `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  const reasons = textsOf(checker.getTypeOfSymbolAtLocation(reason, options))
  const codes = textsOf(checker.getTypeAtLocation(code))
  return [...inner, ...reasons.flatMap((each) => codes.map((text) => ({ place, code: text, reason: each })))]
}

/** The texts of a type that is one text or a choice of a few; none for a whole union of codes or reasons. */
function textsOf(type: ts.Type): readonly string[] {
  const parts = type.isUnion() ? type.types : [type]
  return parts.length > certain ? [] : parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []))
}

/** A function that takes more than this takes any. */
const certain = 8
