import type { TextOperator } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { JsonSearch, SearchedValue, Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'
import type { ComparisonTemplate } from './filter-template.ts'

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
export function foldComparison(node: ComparisonTemplate, value: SearchedValue, given: Given): Sql {
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
