import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, OrderOperator } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { Attribute } from '../schema/schema.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { foldCase, parseBoolean, parseInstant } from '../values/text.ts'
import type { CompareNode, FilterLiteral } from './filter-node.ts'

/** The attribute of a comparison. */
interface Comparand {
  readonly target: FilterAttribute
  /** The attribute or sub-attribute whose type determines the comparison. */
  readonly attribute: Attribute
  /** The full name of the attribute, for a refusal. */
  readonly label: string
  readonly tolerances: ToleranceCounter
}

/**
 * Resolves a comparison and converts its value to the attribute's type (RFC 7644 §3.4.2.2, table 3).
 * @throws ScimError invalidFilter — reason `filter_operator` | `filter_value_type`.
 */
export function resolveComparison({ operator, value }: CompareNode, comparand: Comparand): ResolvedFilter {
  const { target, attribute, label } = comparand
  if (value.kind === 'null') return resolveNull(operator, comparand)
  switch (attribute.type) {
    case 'string':
    case 'reference': {
      const text = textValue(value, comparand)
      return { kind: 'text', attribute: target, operator, value: attribute.caseExact ? text : foldCase(text) }
    }
    case 'binary':
      return {
        kind: 'text',
        attribute: target,
        operator: requireEquality(operator, label),
        value: textValue(value, comparand),
      }
    case 'boolean':
      return {
        kind: 'boolean',
        attribute: target,
        operator: requireEquality(operator, label),
        value: booleanValue(value, comparand),
      }
    case 'integer':
    case 'decimal':
      return {
        kind: 'number',
        attribute: target,
        operator: requireOrder(operator, label),
        value: numberValue(value, label),
      }
    case 'dateTime':
      return instantComparison(requireOrder(operator, label), { target, instant: instantValue(value, label) })
    case 'complex':
      // RFC 7644 §3.4.2.2: a complex attribute without a `value` sub-attribute cannot be compared.
      throw refuse('filter_operator', { attribute: label })
    default:
      return attribute.type satisfies never
  }
}

/**
 * Compares an instant. `meta.lastModified` is in whole seconds: a resource with the time 10:00:00 changed at some
 * moment of the second that begins then. So `gt` and `ge` include the whole second of the given instant. Otherwise, a
 * client that asks for the changes since its last request would miss changes that were made later in the same second.
 */
function instantComparison(
  operator: OrderOperator,
  { target, instant }: { readonly target: FilterAttribute; readonly instant: number },
): ResolvedFilter {
  const isChange = target.extension === undefined && target.name === 'meta' && target.subName === 'lastModified'
  if (!isChange || (operator !== 'gt' && operator !== 'ge'))
    return { kind: 'number', attribute: target, operator, value: instant }
  return { kind: 'number', attribute: target, operator: 'ge', value: Math.floor(instant / 1000) * 1000 }
}

/** Resolves a comparison with null, which means that there is no value (RFC 7643 §2.5). */
function resolveNull(operator: CompareNode['operator'], { target, label }: Comparand): ResolvedFilter {
  const present = { kind: 'present', attribute: target } as const
  return requireEquality(operator, label) === 'ne' ? present : { kind: 'not', operand: present }
}

function requireEquality(operator: CompareNode['operator'], label: string): 'eq' | 'ne' {
  // RFC 7644 §3.4.2.2, gt: boolean and binary values have neither an order nor substrings.
  if (operator !== 'eq' && operator !== 'ne') throw refuse('filter_operator', { attribute: label })
  return operator
}

function requireOrder(operator: CompareNode['operator'], label: string): OrderOperator {
  // RFC 7644 §3.4.2.2, co: only strings have substrings.
  if (operator === 'co' || operator === 'sw' || operator === 'ew') throw refuse('filter_operator', { attribute: label })
  return operator
}

function textValue(value: FilterLiteral, { label, tolerances }: Comparand): string {
  if (value.kind === 'text') return value.value
  if (value.kind === 'bare') return value.text
  if (value.kind === 'number' && tolerances.admits('unquoted-filter-value')) return value.text
  // RFC 7644 §3.4.2.2: the value has the type of the attribute.
  throw refuse('filter_value_type', { attribute: label })
}

function booleanValue(value: FilterLiteral, { label, tolerances }: Comparand): boolean {
  if (value.kind === 'boolean') return value.value
  const text = value.kind === 'text' ? parseBoolean(value.value) : undefined
  const bare = value.kind === 'bare' ? parseBoolean(value.text) : undefined
  const found = text ?? bare
  // RFC 7644 §3.4.2.2: the value has the type of the attribute; Entra writes "True".
  if (found === undefined || !tolerances.admits('boolean-as-text'))
    throw refuse('filter_value_type', { attribute: label })
  return found
}

function numberValue(value: FilterLiteral, label: string): number {
  // RFC 7644 §3.4.2.2: the value has the type of the attribute.
  if (value.kind !== 'number') throw refuse('filter_value_type', { attribute: label })
  return Number(value.text)
}

function instantValue(value: FilterLiteral, label: string): number {
  const text = value.kind === 'bare' ? value.text : value.kind === 'text' ? value.value : ''
  const instant = parseInstant(text)
  // RFC 7643 §2.3.5: a dateTime has a date, a time and a zone.
  if (instant === undefined) throw refuse('filter_value_type', { attribute: label })
  return instant
}
