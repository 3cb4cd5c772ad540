import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import ts from 'typescript'

/** A test: its file, and its name as the runner prints it. `…` is a value that is known only when the test runs. */
export interface TestTitle {
  readonly file: string
  /** The names of the groups and of the test, joined by ` > `. */
  readonly title: string
}

/** Reads the titles of all tests of the repository from their sources. Ordered by file. */
export const testTitles = (): readonly TestTitle[] =>
  globSync([...folders])
    .toSorted()
    .flatMap((file) => titlesOf(file))

const folders = [
  'test/**/*.ts',
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.ts',
  'packages/*/src/contract/laws/*.ts',
  'examples/*/test/**/*.ts',
]

function titlesOf(file: string): readonly TestTitle[] {
  const source = parse(file)
  const titles: TestTitle[] = []

  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const named = ts.isCallExpression(node) ? namedCall(node) : undefined
    if (named === undefined) return ts.forEachChild(node, (child) => visit(child, groups))
    if (named.isTest)
      titles.push(...titlesFor(named, source).map((name) => ({ file, title: [...groups, name].join(' > ') })))
    const inner = named.isTest ? groups : [...groups, withoutPlaceholders(named.name)]
    return ts.forEachChild(named.call, (child) => visit(child, inner))
  }

  visit(source, [])
  return titles
}

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext)

interface NamedCall {
  readonly call: ts.CallExpression
  readonly isTest: boolean
  readonly name: string
  /** The argument of `each` or `for`. */
  readonly rows: ts.Expression | undefined
}

/** Recognizes `it('…', …)`, `it.each(rows)('…', …)`, `describe('…', …)` and `law('…', …)`. */
function namedCall(call: ts.CallExpression): NamedCall | undefined {
  const [first] = call.arguments
  const word = firstWord(call.expression)
  if (first === undefined || !/^(?:it|test|law|describe)$/.test(word)) return undefined
  const name = nameOf(first)
  const rows = ts.isCallExpression(call.expression) ? call.expression.arguments[0] : undefined
  return name === undefined ? undefined : { call, isTest: word !== 'describe', name, rows }
}

function firstWord(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text
  return ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression)
    ? firstWord(expression.expression)
    : ''
}

function nameOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…')
}

/** Returns one name for each row whose label is a literal in the source, and one name with `…` for all other rows. */
function titlesFor({ name, rows }: NamedCall, source: ts.SourceFile): readonly string[] {
  const [placeholder = ''] = /%[sdifjo#]|\$[a-z]\w*/.exec(name) ?? []
  const labels = /^(?:%s|\$\w+)$/.test(placeholder) ? labelsOf(rows, { key: placeholder.slice(1), source }) : []
  const names = labels.map((label) => withoutPlaceholders(name.replace(placeholder, () => label ?? '…')))
  return names.length === 0 ? [withoutPlaceholders(name)] : [...new Set(names)]
}

/** The context in which the labels of rows are read. */
interface LabelContext {
  /** The property that is the label of a row that is an object. */
  readonly key: string
  readonly source: ts.SourceFile
}

function labelsOf(rows: ts.Expression | undefined, context: LabelContext): readonly (string | undefined)[] {
  const list = rows === undefined ? undefined : arrayOf(rows, context)
  return (
    list?.elements.map((row) => labelOf(ts.isSpreadElement(row) ? mappedRow(row.expression) : row, context.key)) ?? []
  )
}

/** Returns the row that `values.map((value) => row)` creates from each value. */
function mappedRow(spread: ts.Expression): ts.Expression {
  const [mapping] = ts.isCallExpression(spread) ? spread.arguments : []
  return mapping !== undefined && ts.isArrowFunction(mapping) && !ts.isBlock(mapping.body)
    ? withoutWrapping(mapping.body)
    : spread
}

const withoutWrapping = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? withoutWrapping(node.expression)
    : node

function labelOf(row: ts.Expression, key: string): string | undefined {
  const value = ts.isArrayLiteralExpression(row)
    ? row.elements[0]
    : ts.isObjectLiteralExpression(row)
      ? propertyOf(row, key)
      : row
  return value === undefined ? undefined : nameOf(value)
}

const propertyOf = (row: ts.ObjectLiteralExpression, key: string): ts.Expression | undefined =>
  row.properties
    .filter((property) => ts.isPropertyAssignment(property))
    .find(({ name }) => ts.isIdentifier(name) && name.text === key)?.initializer

function arrayOf(wrapped: ts.Expression, context: LabelContext): ts.ArrayLiteralExpression | undefined {
  const node = withoutWrapping(wrapped)
  if (ts.isArrayLiteralExpression(node)) return node
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return keepsLabel(node, context.key) ? arrayOf(node.expression.expression, context) : undefined
  }
  if (!ts.isIdentifier(node)) return undefined
  const declared = declarationOf(node.text, context.source)
  return declared === undefined ? importedArray(node.text, context) : arrayOf(declared, context)
}

/** Returns the array that a file imports under a name from another file of the repository. */
function importedArray(name: string, { key, source }: LabelContext): ts.ArrayLiteralExpression | undefined {
  const from = source.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .find((statement) => importsName(statement, name))?.moduleSpecifier
  if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return undefined
  const imported = parse(posix.join(posix.dirname(source.fileName), from.text))
  const declared = declarationOf(name, imported)
  return declared === undefined ? undefined : arrayOf(declared, { key, source: imported })
}

function importsName({ importClause }: ts.ImportDeclaration, name: string): boolean {
  const names = importClause?.namedBindings
  return names !== undefined && ts.isNamedImports(names) && names.elements.some((element) => element.name.text === name)
}

/** Whether a call such as `rows.map(([row, …]) => ({ row, … }))` keeps the labels of `rows`. */
function keepsLabel(call: ts.CallExpression, key: string): boolean {
  const [mapping] = call.arguments
  const pattern = mapping !== undefined && ts.isArrowFunction(mapping) ? mapping.parameters[0]?.name : undefined
  const first = pattern !== undefined && ts.isArrayBindingPattern(pattern) ? pattern.elements[0] : undefined
  return first !== undefined && ts.isBindingElement(first) && ts.isIdentifier(first.name) && first.name.text === key
}

function declarationOf(name: string, node: ts.Node): ts.Expression | undefined {
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.name.text === name) return node.initializer
  return ts.forEachChild(node, (child) => declarationOf(name, child))
}

const withoutPlaceholders = (name: string): string => name.replaceAll(/%[sdifjo#]|\$[a-z][\w.]*/g, '…')
