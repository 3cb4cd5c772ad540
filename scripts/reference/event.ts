import ts from 'typescript'

import { namesIn } from './closed-union.ts'
import { docCommentOf } from './doc-comment.ts'
import type { PublicApi } from './public-api.ts'

/** An event, with what it carries. */
export interface EventEntry {
  readonly type: string
  readonly text: string
  readonly fields: readonly { readonly name: string; readonly type: string; readonly text: string }[]
}

/** The events of a union such as `ServerOccurrence`, in their order. */
export function eventsOf(alias: string, file: string, { checker, source }: PublicApi): readonly EventEntry[] {
  const declaration = source(file)
    .statements.filter((node) => ts.isTypeAliasDeclaration(node))
    .find(({ name }) => name.text === alias)
  const parts = declaration !== undefined && ts.isUnionTypeNode(declaration.type) ? declaration.type.types : []
  // A member may be a union itself.
  const types = parts.map((part) => checker.getTypeFromTypeNode(part))
  return types.flatMap((type) => (type.isUnion() ? type.types : [type])).flatMap((type) => eventsIn(type, checker))
}

function eventsIn(type: ts.Type, checker: ts.TypeChecker): readonly EventEntry[] {
  const fields = checker.getPropertiesOfType(type)
  const kind = fields.find(({ name }) => name === 'type')
  if (kind === undefined) return []
  // An object type in braces and an intersection have no declaration with a comment of their own.
  const symbol = type.getSymbol()
  const ofPart = symbol === undefined || symbol.name === '__type' ? '' : docCommentOf(symbol, checker).text
  const others = fields
    .filter((field) => field !== kind)
    .map((field) => ({ name: field.name, ...typeOf(field), text: docCommentOf(field, checker).text }))
  return namesOfKind(kind, checker).map(({ name, text }) => ({
    type: name,
    text: text || [ofPart, docCommentOf(kind, checker).text].filter((line) => line !== '').join(' '),
    fields: others,
  }))
}

/** `type: 'a' | 'b'`, or the name of such a union. */
function namesOfKind(kind: ts.Symbol, checker: ts.TypeChecker): ReturnType<typeof namesIn> {
  const written = declaredType(kind)
  if (written === undefined || !ts.isTypeReferenceNode(written)) return written === undefined ? [] : namesIn(written)
  const alias = checker
    .getTypeFromTypeNode(written)
    .aliasSymbol?.declarations?.find((node) => ts.isTypeAliasDeclaration(node))
  return alias === undefined ? [] : namesIn(alias.type)
}

const typeOf = (field: ts.Symbol): { readonly type: string } => ({
  type: (declaredType(field)?.getText() ?? '').replaceAll(/\breadonly /g, '').replaceAll(/\s+/g, ' '),
})

const declaredType = (field: ts.Symbol): ts.TypeNode | undefined =>
  field.declarations?.find((node) => ts.isPropertySignature(node))?.type
