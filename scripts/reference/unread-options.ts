import { relative } from 'node:path'

import ts from 'typescript'

import { configurables } from './option.ts'
import type { PublicApi } from './public-api.ts'

/**
 * Returns the documented options that no source file reads, such as `createAuthorizationServer: lifetimes.session`. A declaration
 * and a schema only name an option, and a function named `refuse…` only checks it.
 * @param known those that need no reading. Whether a function to which they are passed reads them is not examined.
 */
export function unreadOptions(api: PublicApi, known: ReadonlySet<string> = new Set()): readonly string[] {
  const options = configurables(api).flatMap((configurable) =>
    configurable.options.map((option): DocumentedOption => {
      const property = option.name.split(/[.[\]*]+/).at(-1) ?? ''
      const folders = [option.declaration && packageOf(option.declaration), configurable.entryPoint.split('/')[1]]
      const names = [...folders, ...sharing].map((folder) => `${folder} ${property}`)
      return { label: `${configurable.name}: ${option.name}`, property, names }
    }),
  )
  const unread = withoutReads(options, (node) => symbolsReadBy(node, api.checker).flatMap(namesOf), api)
  // Types of all arguments are the slow part.
  const sources = api.sources.filter((source) =>
    unread.some(({ names: [declared], label }) => !known.has(label) && declared?.startsWith(`${packageOf(source)} `)),
  )
  const notPassed = withoutReads(unread, (node, wanted) => namesPassedBy(node, wanted, api), { ...api, sources })
  return notPassed.map(({ label }) => label)
}

interface DocumentedOption {
  readonly label: string
  readonly property: string
  /** Under which it may be read: its name after the package that declares it, such as `core lifetimes`. */
  readonly names: readonly string[]
}

/** Options become parts of records and of requests, which these packages declare. A computed type has no declaration. */
const sharing = ['storage-interface', 'internal', 'none']

/** Returns the options of whose names `readBy` returns none. Names that are not wanted any more are not resolved. */
function withoutReads(
  options: readonly DocumentedOption[],
  readBy: (node: ts.Node, wanted: ReadonlySet<string>) => readonly string[],
  { sources }: PublicApi,
): readonly DocumentedOption[] {
  let unread = options
  let wanted = new Set(options.map(({ property }) => property))
  const visit = (node: ts.Node): void => {
    if (isCheck(node) || wanted.size === 0) return
    const key = keyOf(node)
    const read = key === undefined || wanted.has(key) ? readBy(node, wanted) : []
    if (read.length > 0) {
      unread = unread.filter(({ names }) => !names.some((name) => read.includes(name)))
      wanted = new Set(unread.map(({ property }) => property))
    }
    ts.forEachChild(node, visit)
  }
  for (const source of sources) visit(source)
  return unread
}

/** The name of the member that a node reads, if the node is enough to know it. */
function keyOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (!ts.isBindingElement(node)) return undefined
  const name = node.propertyName ?? node.name
  return ts.isIdentifier(name) ? name.text : undefined
}

function symbolsReadBy(node: ts.Node, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const member = (of: ts.Node, name: string) => checker.getPropertyOfType(checker.getTypeAtLocation(of), name) ?? []
  if (ts.isPropertyAccessExpression(node)) return [checker.getSymbolAtLocation(node.name) ?? []].flat()
  if (ts.isElementAccessExpression(node))
    return literalsOf(checker.getTypeAtLocation(node.argumentExpression)).flatMap((name) =>
      member(node.expression, name),
    )
  const key = ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) ? keyOf(node) : undefined
  return key === undefined ? [] : [member(node.parent, key)].flat()
}

/** The names that a key may be, such as those of a template with a few values. */
const literalsOf = (type: ts.Type): readonly string[] =>
  (type.isUnion() ? type.types : [type]).flatMap((part) => (part.isStringLiteral() ? [part.value] : []))

/** The names of options in an object that a call passes on as a whole, if something reads them under the names of the parameter. */
function namesPassedBy(node: ts.Node, wanted: ReadonlySet<string>, api: PublicApi): readonly string[] {
  if (!ts.isCallExpression(node)) return []
  const { checker } = api
  return node.arguments.filter(ts.isIdentifier).flatMap((argument) => {
    const [given, taken] = [checker.getTypeAtLocation(argument), checker.getContextualType(argument)]
    if (taken === undefined || (taken.flags & ts.TypeFlags.Object) === 0) return []
    return [...wanted].flatMap((name) => {
      const [from, to] = [checker.getPropertyOfType(given, name), checker.getPropertyOfType(taken, name)]
      if (from === undefined || to === undefined || namesOf(from).some((same) => namesOf(to).includes(same))) return []
      const parameter: DocumentedOption = { label: name, property: name, names: namesOf(to) }
      const isRead =
        withoutReads([parameter], (each) => symbolsReadBy(each, checker).flatMap(namesOf), api).length === 0
      return isRead ? namesOf(from) : []
    })
  })
}

const namesOf = ({ name, declarations }: ts.Symbol): readonly string[] =>
  declarations === undefined ? [`none ${name}`] : declarations.map((declaration) => `${packageOf(declaration)} ${name}`)

const isCheck = (node: ts.Node): boolean =>
  (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) &&
  node.name !== undefined &&
  /^refuse[A-Z]/.test(node.name.getText())

const packageOf = (node: ts.Node): string =>
  /^packages\/([^/]+)\/src\//.exec(relative('.', node.getSourceFile().fileName))?.[1] ?? 'another'
