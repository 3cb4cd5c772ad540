import type { FilterAttribute } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { JsonSearch, SearchedValue, Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'
import type { FilterTemplate } from './filter-template.ts'
import { foldComparison } from './fold-comparison.ts'

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
