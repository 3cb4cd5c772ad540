import type { FilterAttribute, ResolvedFilter, TextOperator } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'

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
        ...idTests('ew', decodeIdPart(value, 'start')),
        ...acrossPrefix(value, prefix).flatMap((rest) => equalTo(rest, '')),
      ])
    case 'co':
      if (prefix.includes(value)) return true
      return anyOf([
        ...idTests('co', decodeIdPart(value, 'both')),
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
  return location.startsWith(prefix) ? idTests('eq', decodeIdPart(location.slice(prefix.length), 'neither')) : []
}

function startingWith(start: string, prefix: string): readonly ResolvedFilter[] {
  return start.startsWith(prefix) ? idTests('sw', decodeIdPart(start.slice(prefix.length), 'end')) : []
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

/**
 * Which parts of an id a part of its percent-encoded form can stand for: `kim%40x` for `kim@x`; and `A1`, where it may be cut
 * out of the middle, for `A1` and for `:1`, which is written `%3A1`.
 * @param cut at which of its ends the part may begin or end inside an escape.
 * @returns every one that can occur in an id, which is ASCII (OIDC Core §2); none when no encoded id has such a part.
 */
function decodeIdPart(encoded: string, cut: 'neither' | 'start' | 'end' | 'both'): readonly string[] {
  const uncut = { character: '', rest: encoded }
  const starts = cut === 'start' || cut === 'both' ? [uncut, ...cutStarts(encoded)] : [uncut]
  const spellings = starts.flatMap(({ character, rest }) => {
    const ends = cut === 'end' || cut === 'both' ? [...decoded(rest), ...cutEnds(rest)] : decoded(rest)
    return ends.map((end) => character + end)
  })
  const within =
    cut === 'both' ? escapes.filter(({ escape }) => escape[1] === encoded).map(({ character }) => character) : []
  return [...new Set([...spellings, ...within])]
}

/** The text behind each escape that it may begin inside of. */
const cutStarts = (encoded: string): readonly { readonly character: string; readonly rest: string }[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.startsWith(escape.slice(-length)))
      .map((length) => ({ character, rest: encoded.slice(length) })),
  )

/** The text with each escape that it may end inside of. */
const cutEnds = (encoded: string): readonly string[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.endsWith(escape.slice(0, length)))
      .flatMap((length) => decoded(encoded.slice(0, -length)).map((text) => text + character)),
  )

/** None when it is not what `encodeURIComponent` writes. */
function decoded(encoded: string): readonly string[] {
  try {
    const text = decodeURIComponent(encoded)
    return encodeURIComponent(text) === encoded ? [text] : []
  } catch {
    // `decodeURIComponent` and its twin know no other way to say that a text is broken.
    return []
  }
}

/** The ASCII characters that are escaped, and how. */
const escapes = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  .map((character) => ({ character, escape: encodeURIComponent(character) }))
  .filter(({ character, escape }) => character !== escape)
