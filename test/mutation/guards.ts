import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** An `if` whose condition is on one line, and which throws, returns, leaves a loop or starts a block. */
export interface Guard {
  readonly file: string
  readonly line: number
  /** The nearest function around it that has a name. */
  readonly within: string
  readonly condition: string
  /** Offsets of the condition in the file. */
  readonly start: number
  readonly end: number
  readonly changes: readonly Change[]
}

/** One way to weaken a guard: `text` replaces the source between the offsets. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
  /** The replacement for the type checker, without the original expression, which `text` evaluates for its effects. */
  readonly typed: string
  /** The name that people read: the condition without the changed part, or with the changed operator. */
  readonly name: string
}

const packages = ['core', 'scim', 'admin', 'resource-server', 'storage-sql', 'storage-redis']

/** The guards of the packages whose checks protect something. */
export const findGuards = (root: string): readonly Guard[] =>
  packages
    .flatMap((name) => globSync(`packages/${name}/src/**/*.ts`, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => guardsOf(file, readFileSync(join(root, file), 'utf8')))

function guardsOf(file: string, text: string): readonly Guard[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const guards: Guard[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIfStatement(node) && !ts.isExpressionStatement(node.thenStatement)) {
      const { expression } = node
      const [start, end] = [expression.getStart(), expression.getEnd()]
      const line = lineAt(source, node.getStart())
      if (line === lineAt(source, end))
        guards.push({
          file,
          line,
          within: functionAround(node),
          condition: expression.getText(),
          start,
          end,
          changes: changesOf(expression),
        })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return guards
}

function functionAround(node: ts.Node): string {
  const { parent } = node
  if (ts.isSourceFile(parent)) return 'the file'
  const isNamed = ts.isFunctionLike(parent) || ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
  return (isNamed && parent.name?.getText()) || functionAround(parent)
}

/** The name of a guard in a list of guards. */
export interface GuardName {
  readonly file: string
  readonly condition: string
  /** The function around it, if the file has the condition several times. */
  readonly within?: string
}

/** Finds a guard by its name. @throws Error if there is none, or more than one. */
export function findGuard(guards: readonly Guard[], name: GuardName): Guard {
  const [found, ...others] = guards.filter((guard) => isNamedBy(guard, name))
  if (found === undefined) throw new Error(`not in the tree: ${name.file}: ${name.condition}`)
  if (others.length > 0) {
    const functions = [found, ...others].map(({ within }) => within).join(', ')
    throw new Error(
      `more than once in the tree, so \`within\` has to name one (${functions}): ${name.file}: ${name.condition}`,
    )
  }
  return found
}

/** Finds a change of a guard. @throws Error if `findGuard` finds no guard, or the guard has no such change. */
export function findChange(guards: readonly Guard[], name: GuardName & { readonly change: string }): WeakenedGuard {
  const guard = findGuard(guards, name)
  const change = guard.changes.find((candidate) => candidate.name === name.change)
  if (change === undefined) throw new Error(`no change of its guard: ${name.file}: ${name.condition}: ${name.change}`)
  return { guard, change }
}

export const isNamedBy = (guard: Guard, { file, condition, within }: GuardName): boolean =>
  guard.file === file && guard.condition === condition && (within === undefined || guard.within === within)

const lineAt = (source: ts.SourceFile, offset: number): number => source.getLineAndCharacterOfPosition(offset).line + 1

// A weakened condition is still evaluated. Without its effects, such as a write, tests would fail that do not test the
// refusal.
const changesOf = (condition: ts.Expression): readonly Change[] => [
  replaced(condition, 'false', 'false'),
  ...changesWithin(condition),
]

function changesWithin(node: ts.Expression): readonly Change[] {
  if (ts.isParenthesizedExpression(node)) return changesWithin(node.expression)
  if (ts.isPrefixUnaryExpression(node)) return changesWithin(node.operand)
  if (!ts.isBinaryExpression(node)) return []
  const { left, right, operatorToken } = node
  const bound = bounds[operatorToken.getText()]
  if (bound !== undefined) {
    const name = `${left.getText()} ${bound} ${right.getText()}`
    return [{ start: operatorToken.getStart(), end: operatorToken.getEnd(), text: bound, typed: bound, name }]
  }
  const neutral = neutralElements[operatorToken.getText()]
  if (neutral === undefined) return []
  return [left, right].flatMap((operand) => [
    ...(isSameOperator(operand, operatorToken) ? [] : [replaced(operand, neutral, `without ${operand.getText()}`)]),
    ...changesWithin(operand),
  ])
}

const bounds: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

const neutralElements: Readonly<Record<string, string>> = { '||': 'false', '&&': 'true' }

/** `a || b` on the left of `|| c`: its operands are replaced one by one. */
const isSameOperator = (operand: ts.Expression, { kind }: ts.Node): boolean =>
  ts.isBinaryExpression(operand) && operand.operatorToken.kind === kind

const replaced = (part: ts.Expression, value: string, name: string): Change => ({
  start: part.getStart(),
  end: part.getEnd(),
  text: `((${part.getText()}), ${value})`,
  typed: `(${value} as boolean)`,
  name,
})

/** A guard with one of its changes. */
export interface WeakenedGuard {
  readonly guard: Guard
  readonly change: Change
}

/** Returns all changes, with the guards in a random order that depends only on the seed, their files and conditions. */
export const shuffledChanges = (guards: readonly Guard[], seed: string): readonly WeakenedGuard[] =>
  guards
    .map((guard) => ({
      guard,
      rank: createHash('sha256').update(`${seed} ${guard.file} ${guard.condition}`).digest('hex'),
    }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .flatMap(({ guard }) => weakened(guard))

export const weakened = (guard: Guard): readonly WeakenedGuard[] => guard.changes.map((change) => ({ guard, change }))
