import ts from 'typescript'

import { namesIn } from './closed-union.ts'
import { docCommentOf } from './doc-comment.ts'
import type { PublicApi } from './public-api.ts'

/** An event, with its fields. */
export interface EventEntry {
  readonly type: string
  readonly text: string
  readonly fields: readonly { readonly name: string; readonly type: string; readonly text: string }[]
}

/** Returns the events of a union such as `ServerOccurrence`, in order. */
export function eventsOf(alias: string, file: string, { checker, source }: PublicApi): readonly EventEntry[] {
  const declaration = source(file)
    .statements.filter((node) => ts.isTypeAliasDeclaration(node))
    .find(({ name }) => name.text === alias)
  const parts = declaration !== undefined && ts.isUnionTypeNode(declaration.type) ? declaration.type.types : []
  // A member of the union may be a union.
  const types = parts.map((part) => checker.getTypeFromTypeNode(part))
  return types.flatMap((type) => (type.isUnion() ? type.types : [type])).flatMap((type) => eventsIn(type, checker))
}

function eventsIn(type: ts.Type, checker: ts.TypeChecker): readonly EventEntry[] {
  const fields = checker.getPropertiesOfType(type)
  const kind = fields.find(({ name }) => name === 'type')
  if (kind === undefined) return []
  // An anonymous object type and an intersection have no declaration with a comment.
  const symbol = type.getSymbol()
  const typeComment = symbol === undefined || symbol.name === '__type' ? '' : docCommentOf(symbol, checker).text
  const others = fields
    .filter((field) => field !== kind)
    .map((field) => ({ name: field.name, ...typeOf(field), text: docCommentOf(field, checker).text }))
  return namesOfKind(kind, checker).map(({ name, text }) => ({
    type: name,
    text: text || [typeComment, docCommentOf(kind, checker).text].filter((line) => line !== '').join(' '),
    fields: others,
  }))
}

/** Returns the names in a declaration such as `type: 'a' | 'b'`, or in the union that `type` refers to. */
function namesOfKind(kind: ts.Symbol, checker: ts.TypeChecker): ReturnType<typeof namesIn> {
  const declared = declaredType(kind)
  if (declared === undefined || !ts.isTypeReferenceNode(declared))
    return declared === undefined ? [] : namesIn(declared)
  const alias = checker
    .getTypeFromTypeNode(declared)
    .aliasSymbol?.declarations?.find((node) => ts.isTypeAliasDeclaration(node))
  return alias === undefined ? [] : namesIn(alias.type)
}

const typeOf = (field: ts.Symbol): { readonly type: string } => ({
  type: (declaredType(field)?.getText() ?? '').replaceAll(/\breadonly /g, '').replaceAll(/\s+/g, ' '),
})

const declaredType = (field: ts.Symbol): ts.TypeNode | undefined =>
  field.declarations?.find((node) => ts.isPropertySignature(node))?.type
