// One file: the template of a filter and the SQL that is compiled from it must agree.

import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { SqlValue } from '../dialect.ts'
import type { JsonSearch, SearchedValue, Sql, ValueKind } from '../json-search.ts'
import { indexKey } from '../row.ts'
import type { Parameter } from '../database.ts'

/** Finds the attributes of a filter. */
export interface FilterScope {
  readonly value: (attribute: FilterAttribute) => SearchedValue
  readonly isPresent: (attribute: FilterAttribute) => Sql
  /** The complex values of an attribute, one row each, and how to find their sub-attributes. */
  readonly elements: (
    attribute: FilterAttribute,
    alias: string,
  ) => { readonly from: Sql; readonly where?: Sql; readonly scope: FilterScope }
}

/**
 * Compiles a filter to a condition (RFC 7644 §3.4.2.2) that agrees with `matchesFilter`. It is true or false, never
 * NULL, so that `not` is plain negation. Every value is a parameter. LIKE is not used, because % and _ have a meaning
 * in it.
 */
export function compileFilter(
  filter: FilterTemplate,
  context: { readonly search: JsonSearch; readonly scope: FilterScope; readonly parameter: Parameter<string> },
): Sql {
  let aliases = 0
  const alias = (): string => {
    aliases += 1
    return `item_${aliases}`
  }

  const fold = (node: FilterTemplate, scope: FilterScope): Sql => {
    switch (node.kind) {
      case 'or':
      case 'and':
        return joinConditions(
          node.kind,
          mergeComparisons(node, scope).map((operand) => fold(operand, scope)),
        )
      case 'not':
        return sql`(not ${fold(node.operand, scope)})`
      case 'present':
        return scope.isPresent(node.attribute)
      case 'element': {
        // RFC 7644 §3.4.2.2, "[ ]": one value has to match the whole expression.
        const { from, where = sql`true`, scope: inside } = scope.elements(node.attribute, alias())
        return sql`exists (select 1 from ${from} where ${where} and ${fold(node.where, inside)})`
      }
      case 'text':
      case 'number':
      case 'boolean':
        return compileComparison(node, scope.value(node.attribute), { ...context, alias: alias() })
      default:
        return node satisfies never
    }
  }
  return fold(filter, context.scope)
}

/** Joins conditions in halves, so that a long expression stays shallow (SQLite allows 1,000 levels). */
function joinConditions(operator: 'and' | 'or', conditions: readonly Sql[]): Sql {
  const [first] = conditions
  if (first === undefined) return operator === 'and' ? sql`true` : sql`false`
  if (conditions.length === 1) return first
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)].map((half) => joinConditions(operator, half))
  return sql`(${sql.join(halves, sql.raw(` ${operator} `))})`
}

/**
 * Merges string comparisons of the same attribute, so that the attribute is found, and a list unnested, only once. An absent
 * attribute matches none of them. Comparisons joined by `and` are not merged if the value may be a list: different
 * elements may match them.
 */
function mergeComparisons(
  { kind, operands }: Extract<FilterTemplate, { readonly kind: 'or' | 'and' }>,
  scope: FilterScope,
): readonly FilterTemplate[] {
  const isJoined = (operand: FilterTemplate): operand is ComparisonTemplate =>
    operand.kind === 'text' && operand.operator !== 'ne'
  const joined = byAttribute(operands.filter(isJoined)).flatMap((same) => {
    const [first] = same
    if (first === undefined || same.length === 1) return same
    if (kind === 'and' && scope.value(first.attribute).items !== undefined) return same
    return [{ ...first, joined: { operator: kind, comparisons: same } }]
  })
  return [...operands.filter((operand) => !isJoined(operand)), ...joined]
}

/** Merges equalities of the same attribute: a filter may list hundreds of identifiers. */
export function mergeEqualities(comparisons: readonly ComparisonTemplate[]): readonly ComparisonTemplate[] {
  const isEquality = ({ kind, operator }: ComparisonTemplate): boolean => kind === 'text' && operator === 'eq'
  const joined = byAttribute(comparisons.filter(isEquality)).flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ ...first, values: same.flatMap(({ value, values }) => values ?? [value]) }]
  })
  return [...comparisons.filter((comparison) => !isEquality(comparison)), ...joined]
}

function byAttribute<Test extends { readonly attribute: FilterAttribute }>(tests: readonly Test[]): readonly Test[][] {
  const groups = new Map<string, Test[]>()
  for (const test of tests) {
    const key = JSON.stringify(test.attribute)
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(test)
  }
  return [...groups.values()]
}

interface ComparisonContext {
  readonly search: JsonSearch
  readonly parameter: Parameter<string>
  /** The alias of the elements of a list; unique in the statement. */
  readonly alias: string
}

/**
 * Compares a value, or each element if it is a list. The result is true or false, never NULL. Reads a value only if its
 * type matches. RFC 7643 §2.5: an absent value is not equal to any value.
 */
function compileComparison(node: ComparisonTemplate, value: SearchedValue, context: ComparisonContext): Sql {
  const { search, parameter, alias } = context
  const holds = (of: SearchedValue): readonly Sql[] => {
    const { operator: joining = 'or', comparisons = [node] } = node.joined ?? {}
    const compared = joinConditions(
      joining,
      (joining === 'or' ? mergeEqualities(comparisons) : comparisons).map(({ operator, value, values }) =>
        values === undefined
          ? comparison(operator, of[node.kind], { search, operand: sql`${parameter(value)}` })
          : sql`${of[node.kind]} in (${sql.join(values.map((one) => sql`${parameter(one)}`))})`,
      ),
    )
    return search.typeNames[node.kind].map((name) => sql`when ${sql.lit(name)} then ${compared}`)
  }
  // `ne` of a boolean holds for every value other than that boolean; a text or a number is compared with its own type
  // only.
  const ofOtherKind = node.kind === 'boolean' && node.operator === 'ne' ? sql`true` : sql`false`
  const ofNothing = node.operator === 'ne' ? sql`(${value.type} is null or ${value.type} = 'null')` : sql`false`
  const otherwise = node.kind === 'boolean' ? ofOtherKind : ofNothing

  const cases = holds(value)
  const items = value.items?.(alias)
  if (items !== undefined) {
    const itemMatches = sql`case ${items.value.type} ${sql.join(holds(items.value), sql` `)} else ${ofOtherKind} end`
    const isEmpty = node.operator === 'ne' ? sql`not exists (select 1 from ${items.from}) or` : sql``
    const ofList = sql`when 'array' then ${isEmpty} exists (select 1 from ${items.from} where ${itemMatches})`
    return sql`case ${value.type} ${sql.join([...cases, ofList], sql` `)} else ${otherwise} end`
  }
  return sql`case ${value.type} ${sql.join(cases, sql` `)} else ${otherwise} end`
}

function comparison(
  operator: TextOperator,
  value: Sql,
  { search, operand }: { readonly search: JsonSearch; readonly operand: Sql },
): Sql {
  switch (operator) {
    case 'co':
      return search.contains(value, operand)
    case 'sw':
      return search.startsWith(value, operand)
    case 'ew':
      return search.endsWith(value, operand)
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return sql`${value} ${sql.raw(signs[operator])} ${operand}`
    default:
      return operator satisfies never
  }
}

const signs = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const

/**
 * A filter with parameter names in place of its values: filters of one shape share a template and a statement. For a
 * string `name`, the values also contain its index key, `name_key`, and the first string after all strings that begin with
 * it, `name_end`; for a number, whole seconds, `name_seconds`, and the next second, `name_next_second`.
 */
export type FilterTemplate =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly FilterTemplate[] }
  | { readonly kind: 'not'; readonly operand: FilterTemplate }
  | { readonly kind: 'element'; readonly attribute: FilterAttribute; readonly where: FilterTemplate }
  | { readonly kind: 'present'; readonly attribute: FilterAttribute }
  | ComparisonTemplate

export interface ComparisonTemplate {
  readonly kind: ValueKind
  readonly attribute: FilterAttribute
  readonly operator: TextOperator
  /** The name of the parameter. */
  readonly value: string
  /** The names of all parameters, if one of several values is required. */
  readonly values?: readonly string[]
  /** Comparisons of the same attribute, of which one or all must hold. */
  readonly joined?: { readonly operator: 'or' | 'and'; readonly comparisons: readonly ComparisonTemplate[] }
}

export type FilterValues = Readonly<Record<string, SqlValue>>

/** @param encodeFlag how the engine represents a boolean. */
export function filterTemplate(
  filter: ResolvedFilter,
  encodeFlag: (value: boolean) => SqlValue,
): { readonly template: FilterTemplate; readonly values: FilterValues } {
  const values: Record<string, SqlValue> = {}
  let count = 0

  const replaceValues = (node: ResolvedFilter): FilterTemplate => {
    switch (node.kind) {
      case 'or':
        return anyOf(mergeElements(node.operands.map(replaceValues)))
      case 'and':
        return { kind: 'and', operands: node.operands.map(replaceValues) }
      case 'not':
        return { kind: 'not', operand: replaceValues(node.operand) }
      case 'element':
        return { kind: 'element', attribute: node.attribute, where: replaceValues(node.where) }
      case 'present':
        return node
      case 'text':
      case 'number':
      case 'boolean': {
        const name = `value_${count}`
        count += 1
        values[name] = node.kind === 'boolean' ? encodeFlag(node.value) : node.value
        if (node.kind === 'text') {
          values[keyName(name)] = indexKey(node.value)
          values[endName(name)] = endOfPrefix(node.value)
        }
        if (node.kind === 'number') {
          const seconds = limitToColumn(Math.floor(node.value / 1000))
          values[secondsName(name)] = seconds
          values[nextSecondName(name)] = seconds + 1
        }
        return { ...node, value: name }
      }
      default:
        return node satisfies never
    }
  }
  return { template: replaceValues(filter), values }
}

/** Merges tests of the elements of the same list, so that the list is unnested only once. */
function mergeElements(operands: readonly FilterTemplate[]): readonly FilterTemplate[] {
  const joined = byAttribute(operands.filter((operand) => operand.kind === 'element')).flatMap((same) => {
    const [first] = same
    const tests = same.flatMap(({ where }) => (where.kind === 'or' ? where.operands : [where]))
    return first === undefined ? [] : [{ ...first, where: anyOf(tests) }]
  })
  return [...operands.filter(({ kind }) => kind !== 'element'), ...joined]
}

export function anyOf(operands: readonly FilterTemplate[]): FilterTemplate {
  const [only] = operands
  return only !== undefined && operands.length === 1 ? only : { kind: 'or', operands }
}

/** Returns the name of the parameter for the index key of a string. */
export const keyName = (value: string): string => `${value}_key`

/** Returns the name of the parameter for the first string after all strings that begin with a string. */
export const endName = (value: string): string => `${value}_end`

/** Returns the name of the parameter for a time in whole seconds, rounded down. */
export const secondsName = (value: string): string => `${value}_seconds`

/** Returns the name of the parameter for the second after that. */
export const nextSecondName = (value: string): string => `${value}_next_second`

/** Returns the first string, by code points, after all strings that begin with this one. */
function endOfPrefix(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === lastPoint) points.pop()
  const last = points.pop()
  if (last === undefined) return String.fromCodePoint(lastPoint).repeat(201)
  // Well-formed strings have no code points between 0xd7ff and 0xe000.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}

const lastPoint = 0x10ffff

/** Limits a time to the range of every column. */
const limitToColumn = (seconds: number): number => Math.min(Math.max(seconds, -largestSecond), largestSecond)

const largestSecond = 8_640_000_000_000
