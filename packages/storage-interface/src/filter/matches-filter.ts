import { isArray, isObject } from '../json-member.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { compareText } from './compare-text.ts'
import type { OrderOperator, ResolvedFilter, TextOperator } from './resolved-filter.ts'
import { elementsOf, valuesOf } from './values-of.ts'

/** Whether a resource, in its comparable form, is what a filter asks for. */
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
      // RFC 7644 §3.4.2.2, "[ ]": one value satisfies the whole of it.
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

/** RFC 7644 §3.4.2.2, pr: a value that is not empty, or a complex one with a part that is not empty. */
function isPresent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  if (isArray(value)) return value.some(isPresent)
  return isObject(value) ? Object.values(value).some(isPresent) : true
}

/** Equalities with one attribute are looked up together: a list of ids costs as much as one. */
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

/** A comparison that one value has to satisfy; RFC 7643 §2.5: no value is not identical to any value. */
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
