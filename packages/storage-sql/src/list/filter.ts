import type { FilterAttribute, ResolvedFilter, TextOperator } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { SqlValue } from '../dialect.ts'
import type { JsonSearch, SearchedValue, Sql, ValueKind } from '../json-search.ts'
import { indexKey } from '../keys.ts'
import type { Parameter } from '../statement.ts'

/** Where the attributes of a filter are found. */
export interface FilterScope {
  readonly value: (attribute: FilterAttribute) => SearchedValue
  readonly isPresent: (attribute: FilterAttribute) => Sql
  /** The complex values of an attribute, each in a row, and where their parts are found. */
  readonly elements: (attribute: FilterAttribute, alias: string) => { readonly from: Sql; readonly scope: FilterScope }
}

/**
 * Folds a filter into a condition (RFC 7644 §3.4.2.2): it holds exactly where `matchesFilter` does, and is true or false,
 * never NULL, so that `not` is plain negation. Every value is a parameter; LIKE, to which % and _ mean something, is not used.
 */
export function foldFilter(
  filter: FilterTemplate,
  given: { readonly search: JsonSearch; readonly scope: FilterScope; readonly parameter: Parameter<string> },
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
        return join(
          node.kind,
          node.operands.map((operand) => fold(operand, scope)),
        )
      case 'not':
        return sql`(not ${fold(node.operand, scope)})`
      case 'present':
        return scope.isPresent(node.attribute)
      case 'element': {
        // RFC 7644 §3.4.2.2, "[ ]": one value satisfies the whole of it.
        const { from, scope: inside } = scope.elements(node.attribute, alias())
        return sql`exists (select 1 from ${from} where ${fold(node.where, inside)})`
      }
      case 'text':
      case 'number':
      case 'boolean':
        return foldComparison(node, scope.value(node.attribute), { ...given, alias: alias() })
      default:
        return node satisfies never
    }
  }
  return fold(filter, given.scope)
}

/** Halves, and halves of halves: however many there are, the expression is not deep (SQLite allows 1,000 levels). */
function join(operator: 'and' | 'or', conditions: readonly Sql[]): Sql {
  const [first] = conditions
  if (first === undefined) return operator === 'and' ? sql`true` : sql`false`
  if (conditions.length === 1) return first
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)].map((half) => join(operator, half))
  return sql`(${sql.join(halves, sql.raw(` ${operator} `))})`
}

interface Given {
  readonly search: JsonSearch
  readonly parameter: Parameter<string>
  /** For the items of a list; nothing else in the statement has it. */
  readonly alias: string
}

/**
 * A comparison with a value, or with each of those that it is a list of: true or false, never NULL. A value is read only
 * where its type is the one that is compared. RFC 7643 §2.5: no value is not identical to any value.
 */
function foldComparison(node: ComparisonTemplate, value: SearchedValue, given: Given): Sql {
  const { search, parameter, alias } = given
  const holds = (of: SearchedValue): readonly Sql[] => {
    const compared = comparison(node.operator, of[node.kind], { search, operand: sql`${parameter(node.value)}` })
    return search.typeNames[node.kind].map((name) => sql`when ${sql.lit(name)} then ${compared}`)
  }
  // `ne` of a boolean holds for every value that is not that one; a text or a number is compared with its kind alone.
  const ofOtherKind = node.kind === 'boolean' && node.operator === 'ne' ? sql`true` : sql`false`
  const ofNothing = node.operator === 'ne' ? sql`(${value.type} is null or ${value.type} = 'null')` : sql`false`
  const otherwise = node.kind === 'boolean' ? ofOtherKind : ofNothing

  const cases = holds(value)
  const items = value.items?.(alias)
  if (items !== undefined) {
    const one = sql`case ${items.value.type} ${sql.join(holds(items.value), sql` `)} else ${ofOtherKind} end`
    const isEmpty = node.operator === 'ne' ? sql`not exists (select 1 from ${items.from}) or` : sql``
    const ofList = sql`when 'array' then ${isEmpty} exists (select 1 from ${items.from} where ${one})`
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
 * A filter with names in place of its values: filters of one shape have one template, and one statement. Of a text `name`
 * the values also have `name_key`, as an index holds it.
 */
export type FilterTemplate =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly FilterTemplate[] }
  | { readonly kind: 'not'; readonly operand: FilterTemplate }
  | { readonly kind: 'element'; readonly attribute: FilterAttribute; readonly where: FilterTemplate }
  | { readonly kind: 'present'; readonly attribute: FilterAttribute }
  | ComparisonTemplate

interface ComparisonTemplate {
  readonly kind: ValueKind
  readonly attribute: FilterAttribute
  readonly operator: TextOperator
  /** The name of the value. */
  readonly value: string
}

export type FilterValues = Readonly<Record<string, SqlValue>>

/** @param encodeFlag how the engine is given a boolean. */
export function filterTemplate(
  filter: ResolvedFilter,
  encodeFlag: (value: boolean) => SqlValue,
): { readonly template: FilterTemplate; readonly values: FilterValues } {
  const values: Record<string, SqlValue> = {}
  let count = 0

  const replaceValues = (node: ResolvedFilter): FilterTemplate => {
    switch (node.kind) {
      case 'or':
      case 'and':
        return { kind: node.kind, operands: node.operands.map(replaceValues) }
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
        if (node.kind === 'text') values[keyName(name)] = indexKey(node.value)
        return { ...node, value: name }
      }
      default:
        return node satisfies never
    }
  }
  return { template: replaceValues(filter), values }
}

/** The name of the key of a text. */
export const keyName = (value: string): string => `${value}_key`
