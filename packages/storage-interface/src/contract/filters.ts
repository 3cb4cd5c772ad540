import type { FilterAttribute, OrderOperator, ResolvedFilter, TextOperator } from '../filter/resolved-filter.ts'

/** Returns an attribute of the resource, such as `userName` or `name.familyName`, or an attribute of an extension. */
export function attribute(path: string, extension?: string): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension, name, subName, multiValued: false }
}

/** Returns an attribute with several values. */
export const multiValued = (name: string, extension?: string): FilterAttribute => ({
  ...attribute(name, extension),
  multiValued: true,
})

type AttributeOrPath = string | FilterAttribute

const toAttribute = (of: AttributeOrPath): FilterAttribute => (typeof of === 'string' ? attribute(of) : of)

export const text = (of: AttributeOrPath, operator: TextOperator, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: toAttribute(of),
  operator,
  value,
})

export const number = (of: AttributeOrPath, operator: OrderOperator, value: number): ResolvedFilter => ({
  kind: 'number',
  attribute: toAttribute(of),
  operator,
  value,
})

export const boolean = (of: AttributeOrPath, operator: 'eq' | 'ne', value: boolean): ResolvedFilter => ({
  kind: 'boolean',
  attribute: toAttribute(of),
  operator,
  value,
})

export const present = (of: AttributeOrPath): ResolvedFilter => ({ kind: 'present', attribute: toAttribute(of) })

export const element = (name: string, where: ResolvedFilter): ResolvedFilter => ({
  kind: 'element',
  attribute: multiValued(name),
  where,
})

export const not = (operand: ResolvedFilter): ResolvedFilter => ({ kind: 'not', operand })

export const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })

export const or = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'or', operands })
