import type { FilterAttribute, ResolvedFilter, TextOperator } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { idSpellings } from './id-spellings.ts'

/**
 * A test of `meta.location` as one of `id`, or whether it holds for every resource or for none: a location is a prefix, the same
 * for all of a type, and the id as a segment of a path.
 * @throws ScimError invalidFilter — reason `filter_attribute_unsearchable`, for an order among locations, and for a part of a
 * location that could stand for too many parts of an id.
 */
export function locationFilter({ operator, value }: LocationTest, prefix: string): ResolvedFilter | boolean {
  switch (operator) {
    case 'eq':
      return anyOf(equalTo(value, prefix))
    case 'ne':
      return negated(anyOf(equalTo(value, prefix)))
    case 'sw':
      return prefix.startsWith(value) || anyOf(startingWith(value, prefix))
    case 'ew':
      return anyOf([
        ...idTests('ew', idSpellings(value, 'start')),
        ...acrossPrefix(value, prefix).flatMap((rest) => equalTo(rest, '')),
      ])
    case 'co':
      if (prefix.includes(value)) return true
      return anyOf([
        ...idTests('co', idSpellings(value, 'both')),
        ...acrossPrefix(value, prefix).flatMap((rest) => startingWith(rest, '')),
      ])
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      // RFC 7644 §3.4.2.2 invalidFilter.
      throw unsearchable()
    default:
      return operator satisfies never
  }
}

interface LocationTest {
  readonly operator: TextOperator
  readonly value: string
}

function equalTo(location: string, prefix: string): readonly ResolvedFilter[] {
  return location.startsWith(prefix) ? idTests('eq', idSpellings(location.slice(prefix.length), 'neither')) : []
}

function startingWith(start: string, prefix: string): readonly ResolvedFilter[] {
  return start.startsWith(prefix) ? idTests('sw', idSpellings(start.slice(prefix.length), 'end')) : []
}

/** What is left of a text for the id, for each way in which its beginning is the end of the prefix. */
function acrossPrefix(text: string, prefix: string): readonly string[] {
  const cuts = Array.from({ length: Math.max(text.length - 1, 0) }, (_, index) => index + 1)
  return cuts.filter((cut) => prefix.endsWith(text.slice(0, cut))).map((cut) => text.slice(cut))
}

function idTests(operator: TextOperator, spellings: readonly string[]): readonly ResolvedFilter[] {
  // RFC 7644 §3.4.2.2 invalidFilter: each of many comparisons would be made many times over.
  if (spellings.length > maximumSpellings) throw unsearchable()
  return spellings.map((value) => ({ kind: 'text', attribute: id, operator, value }))
}

function anyOf(operands: readonly ResolvedFilter[]): ResolvedFilter | boolean {
  const [only] = operands
  if (only === undefined) return false
  return operands.length === 1 ? only : { kind: 'or', operands }
}

const negated = (filter: ResolvedFilter | boolean): ResolvedFilter | boolean =>
  typeof filter === 'boolean' ? !filter : { kind: 'not', operand: filter }

const unsearchable = (): Error => refusal('filter_attribute_unsearchable', { attribute: 'meta.location' })

const id: FilterAttribute = { extension: undefined, name: 'id', subName: undefined, multiValued: false }

const maximumSpellings = 40
