import ts from 'typescript'

import { docCommentOf, type DocComment } from './doc-comment.ts'
import type { EntryPoint, PublicApi } from './public-api.ts'

/** One member of what a function is given. */
export interface Option extends DocComment {
  /** `lifetimes.accessToken`; `scopes.*.claims` for the members of a record, `fields[].name` for those of a list. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** Whether its members follow: what is left out of it has defaults of its own. */
  readonly isGroup: boolean
  /** Where its comment stands: several functions may take the same option. */
  readonly declaration: ts.Node | undefined
}

/** An exported function that takes options. */
export interface Configurable {
  readonly entryPoint: string
  /** `createAuthorizationServer(options)`. */
  readonly call: string
  readonly name: string
  readonly text: string
  readonly options: readonly Option[]
}

/** Every exported function that takes options, in the order of entry points and names. */
export const configurables = ({ entryPoints, checker }: PublicApi): readonly Configurable[] =>
  entryPoints.flatMap((entryPoint) => entryPoint.exports.flatMap((symbol) => configurable(symbol, entryPoint, checker)))

function configurable(symbol: ts.Symbol, entryPoint: EntryPoint, checker: ts.TypeChecker): readonly Configurable[] {
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  const parameters = signature?.getParameters() ?? []
  const taken = parameters.find((parameter) => isOptions(parameter, { of: symbol, checker }))
  if (taken === undefined) return []
  const names = parameters.map((parameter) => (parameter === taken ? 'options' : parameter.name))
  return [
    {
      entryPoint: entryPoint.name,
      call: `${symbol.name}(${names.join(', ')})`,
      name: symbol.name,
      text: docCommentOf(symbol, checker).text,
      options: membersOf(checker.getTypeOfSymbol(taken), '', checker),
    },
  ]
}

/** What is named so, what is of a type that is named so, and whatever a `createX` is given that is no function. */
function isOptions(
  parameter: ts.Symbol,
  { of, checker }: { readonly of: ts.Symbol; readonly checker: ts.TypeChecker },
): boolean {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
  const typeName = (type.aliasSymbol ?? type.getSymbol())?.name ?? ''
  const isNamedSo = ['options', 'limit', 'registration'].includes(parameter.name) || typeName.endsWith('Options')
  return (isNamedSo || of.name.startsWith('create')) && type.getCallSignatures().length === 0
}

function membersOf(type: ts.Type, prefix: string, checker: ts.TypeChecker): readonly Option[] {
  const parts = type.isUnion() ? type.types.filter((part) => isObject(part)) : [type]
  const members = new Map(
    parts.flatMap((part) => checker.getPropertiesOfType(part).map((member) => [member.name, member] as const)),
  )
  return [...members.values()].flatMap((member) => optionsOf(member, { prefix, parts, checker }))
}

interface Place {
  readonly prefix: string
  /** The types that may have the member: several when there is a choice. */
  readonly parts: readonly ts.Type[]
  readonly checker: ts.TypeChecker
}

function optionsOf(member: ts.Symbol, { prefix, parts, checker }: Place): readonly Option[] {
  // `vault?: undefined` says that another branch of the choice has it.
  const present = parts
    .flatMap((part) => checker.getPropertyOfType(part, member.name) ?? [])
    .filter((symbol) => !isNever(symbol, checker))
  const symbol = present[0] ?? member
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol))
  const inner = expanded(type, checker)
  const documented = docSourceOf(symbol, type, checker)
  const own: Option = {
    ...docCommentOf(documented, checker),
    name: prefix + symbol.name,
    type: typeText(symbol, type, checker),
    isRequired: !(symbol.flags & ts.SymbolFlags.Optional) && present.length === parts.length,
    isGroup: inner?.path === '.',
    declaration: documented.declarations?.[0],
  }
  return inner === undefined ? [own] : [own, ...membersOf(inner.type, prefix + symbol.name + inner.path, checker)]
}

/** Itself, or its type when it has no comment of its own: `Clock` is the same everywhere. */
function docSourceOf(symbol: ts.Symbol, type: ts.Type, checker: ts.TypeChecker): ts.Symbol {
  const ofType = type.aliasSymbol ?? type.getSymbol()
  const isSaid = docCommentOf(symbol, checker).text !== '' || ofType === undefined || ofType.name === '__type'
  return isSaid ? symbol : ofType
}

const isNever = (symbol: ts.Symbol, checker: ts.TypeChecker): boolean =>
  Boolean(checker.getTypeOfSymbol(symbol).flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never))

/** What of a type is written out below it: groups of options, not the values that other functions make. */
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

/** As the source has it, which is shorter than what the compiler makes of it. */
function typeText(symbol: ts.Symbol, type: ts.Type, checker: ts.TypeChecker): string {
  const declaration = symbol.declarations?.find((node) => ts.isPropertySignature(node))
  const written = declaration?.type?.getText() ?? checker.typeToString(type)
  // A duration in a mapped type is a number to whoever writes it.
  if (type.flags & ts.TypeFlags.Number) return 'number'
  return isGroup(type) ? 'object' : written.replaceAll(/\breadonly |\/\*\*.*?\*\//gs, '').replaceAll(/\s+/g, ' ')
}
