import type { FilterAttribute, ResolvedFilter, TextOperator } from '@mintmark/storage-interface'
import type { SqlValue } from '../dialect.ts'
import { indexKey } from '../index-key.ts'
import type { ValueKind } from '../json-search.ts'

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

export interface ComparisonTemplate {
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
