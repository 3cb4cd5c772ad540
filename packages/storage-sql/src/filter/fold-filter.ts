import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { JsonSearch, SearchedValue, Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'
import type { ComparisonTemplate, FilterTemplate } from './filter-template.ts'

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
  { search, scope, parameter }: { readonly search: JsonSearch; readonly scope: FilterScope; readonly parameter: Parameter<string> },
): Sql {
  let aliases = 0
  const alias = (): string => {
    aliases += 1
    return `item_${aliases}`
  }

  const fold = (node: FilterTemplate, within: FilterScope): Sql => {
    switch (node.kind) {
      case 'or':
        return join('or', node.operands.map((operand) => fold(operand, within)))
      case 'and':
        return join('and', node.operands.map((operand) => fold(operand, within)))
      case 'not':
        return sql`(not ${fold(node.operand, within)})`
      case 'present':
        return within.isPresent(node.attribute)
      case 'element': {
        // RFC 7644 §3.4.2.2, "[ ]": one value satisfies the whole of it.
        const { from, scope: inside } = within.elements(node.attribute, alias())
        return sql`exists (select 1 from ${from} where ${fold(node.where, inside)})`
      }
      case 'text':
      case 'number':
      case 'boolean':
        return compare(node, within.value(node.attribute))
      default:
        return node satisfies never
    }
  }

  /** One value, or each of those that the value is a list of. RFC 7643 §2.5: no value is not identical to any value. */
  const compare = (node: ComparisonTemplate, value: SearchedValue): Sql => {
    const isUnlike = node.operator === 'ne'
    const items = value.items?.(alias())
    const ofItem = items && sql`select 1 from ${items.from} where ${compareOne(node, items.value, sql`${literal(isUnlikeOther(node))}`)}`
    const ofList = items && sql`when 'array' then ${isUnlike ? sql`not exists (select 1 from ${items.from}) or` : sql``} exists (${ofItem})`
    const ofNothing = isUnlike ? sql`(${value.type} is null or ${value.type} = 'null')` : literal(false)
    return compareOne(node, value, isUnlikeOther(node) ? literal(true) : ofNothing, ofList)
  }

  const compareOne = (node: ComparisonTemplate, value: SearchedValue, otherwise: Sql, ofList = sql``): Sql => {
    const holds = comparison(node.operator, value[node.kind], { search, operand: sql`${parameter(node.value)}` })
    const ofKind = search.typeNames[node.kind].map((name) => sql`when ${sql.lit(name)} then ${holds}`)
    return sql`case ${value.type} ${sql.join(ofKind, sql` `)} ${ofList} else ${otherwise} end`
  }

  return fold(filter, scope)
}

/** `ne` of a boolean holds for every value that is not that one; a text or number is compared with its kind alone. */
const isUnlikeOther = ({ kind, operator }: ComparisonTemplate): boolean => kind === 'boolean' && operator === 'ne'

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

/** Halves, and halves of halves: however many there are, the expression is not deep (SQLite allows 1,000 levels). */
function join(operator: 'and' | 'or', conditions: readonly Sql[]): Sql {
  const [first] = conditions
  if (first === undefined) return literal(operator === 'and')
  if (conditions.length === 1) return first
  const middle = Math.ceil(conditions.length / 2)
  const halves = [conditions.slice(0, middle), conditions.slice(middle)].map((half) => join(operator, half))
  return sql`(${sql.join(halves, sql.raw(` ${operator} `))})`
}

const literal = (value: boolean): Sql => (value ? sql`true` : sql`false`)
