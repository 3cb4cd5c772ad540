import { type JsonObject, type JsonValue, isArray, isObject, memberOf } from '../values.ts'
import type { FilterAttribute, OrderOperator, ResolvedFilter, TextOperator } from './resolved-filter.ts'

/** Whether a resource, in its comparable form, matches a filter. */
export type ResourcePredicate = (resource: JsonObject) => boolean

/** Folds a filter into a predicate (RFC 7644 §3.4.2.2); see `ResolvedFilter` for what each kind means. Never throws. */
export function matchesFilter(filter: ResolvedFilter): ResourcePredicate {
  switch (filter.kind) {
    case 'or': {
      const operands = joinEqualities(filter.operands)
      return (resource) => operands.some((matches) => matches(resource))
    }
    case 'and': {
      const operands = filter.operands.map(matchesFilter)
      return (resource) => operands.every((matches) => matches(resource))
    }
    case 'not': {
      const matches = matchesFilter(filter.operand)
      return (resource) => !matches(resource)
    }
    case 'element': {
      const matches = matchesFilter(filter.where)
      // RFC 7644 §3.4.2.2, "[ ]": one value must satisfy the whole condition.
      return (resource) => elementsOf(resource, filter.attribute).some(matches)
    }
    case 'present':
      return (resource) => valuesOf(resource, filter.attribute).some(isPresent)
    case 'text':
      return textPredicate(filter, (text) => textHolds(filter.operator, text, filter.value))
    case 'number':
      return anyValue(filter, (value) => typeof value === 'number' && orderHolds(filter.operator, value - filter.value))
    case 'boolean':
      return anyValue(filter, (value) => (value === filter.value) === (filter.operator === 'eq'))
    default:
      return filter satisfies never
  }
}

/** RFC 7644 §3.4.2.2, pr: a value that is not empty, or a complex value with a part that is not empty. */
function isPresent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  if (isArray(value)) return value.some(isPresent)
  return isObject(value) ? Object.values(value).some(isPresent) : true
}

/** Joins the equalities of one attribute into one lookup, so that a list of ids costs as much as one id. */
function joinEqualities(operands: readonly ResolvedFilter[]): readonly ResourcePredicate[] {
  const joined = new Map<string, { readonly sample: TextComparison; readonly values: Set<string> }>()
  const others: ResourcePredicate[] = []
  for (const operand of operands) {
    if (operand.kind !== 'text' || operand.operator !== 'eq') {
      others.push(matchesFilter(operand))
      continue
    }
    const key = JSON.stringify(operand.attribute)
    const group = joined.get(key) ?? { sample: operand, values: new Set<string>() }
    joined.set(key, group)
    group.values.add(operand.value)
  }
  const equalities = [...joined.values()].map(({ sample, values }) => textPredicate(sample, (text) => values.has(text)))
  return [...equalities, ...others]
}

function textPredicate(filter: TextComparison, holds: (text: string) => boolean): ResourcePredicate {
  return anyValue(filter, (value) => typeof value === 'string' && holds(value))
}

type TextComparison = Extract<ResolvedFilter, { readonly kind: 'text' }>
type Comparison = Extract<ResolvedFilter, { readonly kind: 'text' | 'number' | 'boolean' }>

/** Tests whether one value satisfies a comparison. Without a value, only `ne` holds (RFC 7643 §2.5). */
function anyValue(filter: Comparison, satisfies: (value: JsonValue) => boolean): ResourcePredicate {
  return (resource) => {
    const values = valuesOf(resource, filter.attribute)
    return values.length === 0 ? filter.operator === 'ne' : values.some(satisfies)
  }
}

function textHolds(operator: TextOperator, text: string, value: string): boolean {
  switch (operator) {
    case 'eq':
      return text === value
    case 'co':
      return text.includes(value)
    case 'sw':
      return text.startsWith(value)
    case 'ew':
      return text.endsWith(value)
    default:
      return orderHolds(operator, compareText(text, value))
  }
}

function orderHolds(operator: OrderOperator, difference: number): boolean {
  switch (operator) {
    case 'eq':
      return difference === 0
    case 'ne':
      return difference !== 0
    case 'gt':
      return difference > 0
    case 'ge':
      return difference >= 0
    case 'lt':
      return difference < 0
    case 'le':
      return difference <= 0
    default:
      return operator satisfies never
  }
}

/** Returns the values that a comparison tests: none, one or several. RFC 7643 §2.5: null is no value. */
export function valuesOf(resource: JsonObject, { extension, name, subName }: FilterAttribute): readonly JsonValue[] {
  const owner = extension === undefined ? resource : memberOf(resource, extension)
  const attribute = memberOf(owner, name)
  const value = subName === undefined ? attribute : memberOf(attribute, subName)
  if (value === undefined || value === null) return []
  return isArray(value) ? value : [value]
}

/** Returns the complex values of an attribute. */
export const elementsOf = (resource: JsonObject, attribute: FilterAttribute): readonly JsonObject[] =>
  valuesOf(resource, attribute).filter(isObject)

/**
 * Orders strings by code point, like a database that compares UTF-8 bytes (`BINARY` in SQLite, collation `C` in
 * PostgreSQL). JavaScript's own `<` compares UTF-16 units, which puts U+FFFD after U+1F600.
 */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Returns a UTF-16 unit's position in code point order: surrogates stand for code points above all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
