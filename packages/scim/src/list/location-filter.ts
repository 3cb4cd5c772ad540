import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'

/**
 * Rewrites a test of `meta.location` as a test of `id`, or as `true` or `false` when it matches all or no resources. A location
 * is a prefix common to all resources of a type, followed by the id as a path segment.
 * @throws ScimError invalidFilter — reason `filter_attribute_unsearchable`, for comparisons of order, and for a part of a
 * location that could match too many parts of an id.
 */
export function locationFilter({ operator, value }: LocationTest, prefix: string): ResolvedFilter | boolean {
  switch (operator) {
    case 'eq':
      return anyOf(equalTo(value, prefix))
    case 'ne':
      return negate(anyOf(equalTo(value, prefix)))
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

/**
 * Returns the parts of a string that may belong to the id: the rest after each overlap of its start with the end of the
 * prefix.
 */
function acrossPrefix(text: string, prefix: string): readonly string[] {
  const cuts = Array.from({ length: Math.max(text.length - 1, 0) }, (_, index) => index + 1)
  return cuts.filter((cut) => prefix.endsWith(text.slice(0, cut))).map((cut) => text.slice(cut))
}

function idTests(operator: TextOperator, spellings: readonly string[]): readonly ResolvedFilter[] {
  // RFC 7644 §3.4.2.2 invalidFilter: the number of comparisons would multiply.
  if (spellings.length > maximumSpellings) throw unsearchable()
  return spellings.map((value) => ({ kind: 'text', attribute: id, operator, value }))
}

function anyOf(operands: readonly ResolvedFilter[]): ResolvedFilter | boolean {
  const [only] = operands
  if (only === undefined) return false
  return operands.length === 1 ? only : { kind: 'or', operands }
}

const negate = (filter: ResolvedFilter | boolean): ResolvedFilter | boolean =>
  typeof filter === 'boolean' ? !filter : { kind: 'not', operand: filter }

const unsearchable = (): Error => refusal('filter_attribute_unsearchable', { attribute: 'meta.location' })

const id: FilterAttribute = { extension: undefined, name: 'id', subName: undefined, multiValued: false }

const maximumSpellings = 40

/**
 * Returns the parts of an id that a part of its percent-encoded form can represent: `kim@x` for `kim%40x`; and, for a
 * part from the middle, both `A1` and `:1` (encoded as `%3A1`) for `A1`.
 * @param cut the ends at which the part may split an escape.
 * @returns all candidates; ids are ASCII (OIDC Core §2). Empty when no encoded id contains the part.
 */
function decodeIdPart(encoded: string, cut: 'neither' | 'start' | 'end' | 'both'): readonly string[] {
  const uncut = { character: '', rest: encoded }
  const starts = cut === 'start' || cut === 'both' ? [uncut, ...cutStarts(encoded)] : [uncut]
  const spellings = starts.flatMap(({ character, rest }) => {
    const ends = cut === 'end' || cut === 'both' ? [...decode(rest), ...cutEnds(rest)] : decode(rest)
    return ends.map((end) => character + end)
  })
  const insideEscape =
    cut === 'both' ? escapes.filter(({ escape }) => escape[1] === encoded).map(({ character }) => character) : []
  return [...new Set([...spellings, ...insideEscape])]
}

/** Returns the candidates that start inside an escape. */
const cutStarts = (encoded: string): readonly { readonly character: string; readonly rest: string }[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.startsWith(escape.slice(-length)))
      .map((length) => ({ character, rest: encoded.slice(length) })),
  )

/** Returns the candidates that end inside an escape. */
const cutEnds = (encoded: string): readonly string[] =>
  escapes.flatMap(({ character, escape }) =>
    [1, 2]
      .filter((length) => encoded.endsWith(escape.slice(0, length)))
      .flatMap((length) => decode(encoded.slice(0, -length)).map((text) => text + character)),
  )

/** Decodes a part of a path segment. Returns an empty list when `encodeURIComponent` would not produce the part. */
function decode(encoded: string): readonly string[] {
  try {
    const text = decodeURIComponent(encoded)
    return encodeURIComponent(text) === encoded ? [text] : []
  } catch {
    // `decodeURIComponent` throws for malformed escapes.
    return []
  }
}

/** The ASCII characters that are escaped, with their escapes. */
const escapes = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  .map((character) => ({ character, escape: encodeURIComponent(character) }))
  .filter(({ character, escape }) => character !== escape)
