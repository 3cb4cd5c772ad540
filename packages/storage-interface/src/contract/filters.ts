import type { FilterAttribute, OrderOperator, ResolvedFilter, TextOperator } from '../filter/resolved-filter.ts'

/** An attribute of the resource, such as `userName` or `name.familyName`, or an attribute of an extension. */
export function attribute(path: string, extension?: string): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension, name, subName, multiValued: false }
}

/** An attribute with several values. */
export const several = (name: string, extension?: string): FilterAttribute => ({
  ...attribute(name, extension),
  multiValued: true,
})

type Tested = string | FilterAttribute

const tested = (of: Tested): FilterAttribute => (typeof of === 'string' ? attribute(of) : of)

export const text = (of: Tested, operator: TextOperator, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: tested(of),
  operator,
  value,
})

export const number = (of: Tested, operator: OrderOperator, value: number): ResolvedFilter => ({
  kind: 'number',
  attribute: tested(of),
  operator,
  value,
})

export const boolean = (of: Tested, operator: 'eq' | 'ne', value: boolean): ResolvedFilter => ({
  kind: 'boolean',
  attribute: tested(of),
  operator,
  value,
})

export const present = (of: Tested): ResolvedFilter => ({ kind: 'present', attribute: tested(of) })

export const element = (name: string, where: ResolvedFilter): ResolvedFilter => ({
  kind: 'element',
  attribute: several(name),
  where,
})

export const not = (operand: ResolvedFilter): ResolvedFilter => ({ kind: 'not', operand })

export const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })

export const or = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'or', operands })
