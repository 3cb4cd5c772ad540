import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import ts from 'typescript'

/** A test by its file and its name as the runner prints it; `…` stands for what only the run knows. */
export interface TestTitle {
  readonly file: string
  /** The names of the groups and of the test, joined by ` > `. */
  readonly title: string
}

/** The titles of all tests of the repository, read from their sources, in the order of files. */
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
      titles.push(...expanded(named, source).map((name) => ({ file, title: [...groups, name].join(' > ') })))
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
  /** What `each` or `for` was given. */
  readonly rows: ts.Expression | undefined
}

/** `it('…', …)`, `it.each(rows)('…', …)`, `describe('…', …)` and `law('…', …)`. */
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

/** One name for each row whose label stands in the source as a text; one with `…` for all others. */
function expanded({ name, rows }: NamedCall, source: ts.SourceFile): readonly string[] {
  const [placeholder = ''] = /%[sdifjo#]|\$[a-z]\w*/.exec(name) ?? []
  const labels = /^(?:%s|\$\w+)$/.test(placeholder) ? labelsOf(rows, { key: placeholder.slice(1), source }) : []
  const names = labels.map((label) => withoutPlaceholders(name.replace(placeholder, () => label ?? '…')))
  return names.length === 0 ? [withoutPlaceholders(name)] : [...new Set(names)]
}

/** What rows are looked for: the name of the property that labels an object, in the file that declares them. */
interface Labelled {
  readonly key: string
  readonly source: ts.SourceFile
}

function labelsOf(rows: ts.Expression | undefined, labelled: Labelled): readonly (string | undefined)[] {
  const list = rows === undefined ? undefined : arrayOf(rows, labelled)
  return (
    list?.elements.map((row) => labelOf(ts.isSpreadElement(row) ? mappedRow(row.expression) : row, labelled.key)) ?? []
  )
}

/** What `values.map((value) => row)` makes of each value. */
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

function arrayOf(wrapped: ts.Expression, labelled: Labelled): ts.ArrayLiteralExpression | undefined {
  const node = withoutWrapping(wrapped)
  if (ts.isArrayLiteralExpression(node)) return node
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return keepsLabel(node, labelled.key) ? arrayOf(node.expression.expression, labelled) : undefined
  }
  if (!ts.isIdentifier(node)) return undefined
  const declared = declarationOf(node.text, labelled.source)
  return declared === undefined ? importedArray(node.text, labelled) : arrayOf(declared, labelled)
}

/** The array that the file imports by that name from another one of ours. */
function importedArray(name: string, { key, source }: Labelled): ts.ArrayLiteralExpression | undefined {
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

/** `rows.map(([row, …]) => ({ row, … }))` labels as `rows` does. */
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
