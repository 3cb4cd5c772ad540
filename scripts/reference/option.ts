import ts from 'typescript'

import { docCommentOf, type DocComment } from './doc-comment.ts'
import type { EntryPoint, PublicApi } from './public-api.ts'

/** One option of a function. */
export interface Option extends DocComment {
  /** A path such as `lifetimes.accessToken`; `scopes.*.claims` in the values of a record, `fields[].name` in a list. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** Whether the option is an object whose members are listed too. Each member has its own default. */
  readonly isGroup: boolean
  /** The declaration with the doc comment. Several functions may have the same option. */
  readonly declaration: ts.Node | undefined
}

/** An exported function that takes options. */
export interface Configurable {
  readonly entryPoint: string
  /** The call, such as `createAuthorizationServer(options)`. */
  readonly call: string
  readonly name: string
  readonly text: string
  readonly options: readonly Option[]
}

/** Returns every exported function that takes options, ordered by entry point and name. */
export const configurables = ({ entryPoints, checker }: PublicApi): readonly Configurable[] =>
  entryPoints.flatMap((entryPoint) => entryPoint.exports.flatMap((symbol) => configurable(symbol, entryPoint, checker)))

function configurable(symbol: ts.Symbol, entryPoint: EntryPoint, checker: ts.TypeChecker): readonly Configurable[] {
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  const parameters = signature?.getParameters() ?? []
  const optionsParameter = parameters.find((parameter) => isOptions(parameter, { of: symbol, checker }))
  if (optionsParameter === undefined) return []
  const names = parameters.map((parameter) => (parameter === optionsParameter ? 'options' : parameter.name))
  return [
    {
      entryPoint: entryPoint.name,
      call: `${symbol.name}(${names.join(', ')})`,
      name: symbol.name,
      text: docCommentOf(symbol, checker).text,
      options: membersOf(checker.getTypeOfSymbol(optionsParameter), '', checker),
    },
  ]
}

/** Whether a parameter contains options: by its name, by the name of its type, or as a non-function of a `createX`. */
function isOptions(
  parameter: ts.Symbol,
  { of, checker }: { readonly of: ts.Symbol; readonly checker: ts.TypeChecker },
): boolean {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
  const typeName = (type.aliasSymbol ?? type.getSymbol())?.name ?? ''
  const hasOptionsName = ['options', 'limit', 'registration'].includes(parameter.name) || typeName.endsWith('Options')
  return (hasOptionsName || of.name.startsWith('create')) && type.getCallSignatures().length === 0
}

function membersOf(type: ts.Type, prefix: string, checker: ts.TypeChecker): readonly Option[] {
  const parts = type.isUnion() ? type.types.filter((part) => isObject(part)) : [type]
  const members = new Map(
    parts.flatMap((part) => checker.getPropertiesOfType(part).map((member) => [member.name, member] as const)),
  )
  return [...members.values()].flatMap((member) => optionsOf(member, { prefix, parts, checker }))
}

interface MemberContext {
  readonly prefix: string
  /** The types that may have the member: several for a union. */
  readonly parts: readonly ts.Type[]
  readonly checker: ts.TypeChecker
}

function optionsOf(member: ts.Symbol, { prefix, parts, checker }: MemberContext): readonly Option[] {
  // A member such as `vault?: undefined` is declared in another member of the union.
  const present = parts
    .flatMap((part) => checker.getPropertyOfType(part, member.name) ?? [])
    .filter((symbol) => !isNever(symbol, checker))
  const symbol = present[0] ?? member
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol))
  const inner = expanded(type, checker)
  const documented = docSourceOf(symbol, type, checker)
  const option: Option = {
    ...docCommentOf(documented, checker),
    name: prefix + symbol.name,
    type: typeText(symbol, type, checker),
    isRequired: !(symbol.flags & ts.SymbolFlags.Optional) && present.length === parts.length,
    isGroup: inner?.path === '.',
    declaration: documented.declarations?.[0],
  }
  return inner === undefined ? [option] : [option, ...membersOf(inner.type, prefix + symbol.name + inner.path, checker)]
}

/** Returns the symbol, or its type if only the type has a comment, such as `Clock`. */
function docSourceOf(symbol: ts.Symbol, type: ts.Type, checker: ts.TypeChecker): ts.Symbol {
  const ofType = type.aliasSymbol ?? type.getSymbol()
  const hasComment = docCommentOf(symbol, checker).text !== ''
  return hasComment || ofType === undefined || ofType.name === '__type' ? symbol : ofType
}

const isNever = (symbol: ts.Symbol, checker: ts.TypeChecker): boolean =>
  Boolean(checker.getTypeOfSymbol(symbol).flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never))

/** Returns the type whose members are listed below the option: a group of options, not a value of another function. */
function expanded(
  type: ts.Type,
  checker: ts.TypeChecker,
): { readonly type: ts.Type; readonly path: string } | undefined {
  if (isGroup(type)) return { type, path: '.' }
  const element = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined
  if (element !== undefined) return isGroup(element) ? { type: element, path: '[].' } : undefined
  const named = type.getStringIndexType()
  const group = (named?.isUnion() ? named.types : named ? [named] : []).find((part) => isGroup(part))
  return group && { type: group, path: '.*.' }
}

function isGroup(type: ts.Type): boolean {
  const name = type.getSymbol()?.name ?? ''
  // `Pick<KeyRing, 'algorithms'>` is a part of a value, not a group of options.
  const isAnonymous =
    name === '__type' &&
    type.aliasSymbol?.name !== 'SigningAlgorithms' &&
    type.getCallSignatures().length === 0 &&
    type.getStringIndexType() === undefined
  return isObject(type) && (isAnonymous || writtenOut.has(name))
}

const isObject = (type: ts.Type): boolean => Boolean(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))

/** Named types whose members the page lists below the option. */
export const writtenOut: ReadonlySet<string> = new Set([
  'ScopeOption',
  'ResourceOption',
  'DeprovisioningLimit',
  'CustomField',
  'LastAdministratorOptions',
])

/** Returns the type as it is written in the source, which is shorter than the compiler's text. */
function typeText(symbol: ts.Symbol, type: ts.Type, checker: ts.TypeChecker): string {
  const declaration = symbol.declarations?.find((node) => ts.isPropertySignature(node))
  const written = declaration?.type?.getText() ?? checker.typeToString(type)
  // A duration in a mapped type is shown as the number that users write.
  if (type.flags & ts.TypeFlags.Number) return 'number'
  return isGroup(type) ? 'object' : written.replaceAll(/\breadonly |\/\*\*.*?\*\//gs, '').replaceAll(/\s+/g, ' ')
}
