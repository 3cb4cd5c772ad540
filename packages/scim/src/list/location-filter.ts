import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'

/**
 * Rewrites a test of `meta.location` as a test of `id`, or as `true` or `false` when it matches all or no resources. A location
 * is a prefix common to all resources of a type, followed by the id as a path segment.
 * @throws ScimError invalidFilter — reason `filter_attribute_unsearchable`, for the operators `gt`, `ge`, `lt` and
 *   `le`, and for a value that would have to be compared with too many parts of an id.
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
        ...idPartsAcrossPrefix(value, prefix).flatMap((rest) => equalTo(rest, '')),
      ])
    case 'co':
      if (prefix.includes(value)) return true
      return anyOf([
        ...idTests('co', decodeIdPart(value, 'both')),
        ...idPartsAcrossPrefix(value, prefix).flatMap((rest) => startingWith(rest, '')),
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
 * Returns the parts of a string that belong to the id if the string starts inside the prefix: `4` for `Users/4` and a
 * prefix that ends with `/Users/`. There is one part for each way in which the start of the string matches the end of
 * the prefix.
 */
function idPartsAcrossPrefix(text: string, prefix: string): readonly string[] {
  const longest = Math.max(Math.min(text.length - 1, prefix.length), 0)
  const cuts = Array.from({ length: longest }, (_, index) => index + 1)
  return cuts.filter((cut) => prefix.endsWith(text.slice(0, cut))).map((cut) => text.slice(cut))
}

function idTests(operator: TextOperator, candidates: readonly string[]): readonly ResolvedFilter[] {
  // RFC 7644 §3.4.2.2 invalidFilter: each candidate is one more comparison with every id.
  if (candidates.length > maximumCandidates) throw unsearchable()
  return candidates.map((value) => ({ kind: 'text', attribute: id, operator, value }))
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

const maximumCandidates = 40

/**
 * Decodes a part of a percent-encoded id, such as `kim%40x` to `kim@x`. A part that may begin or end inside an escape
 * has several candidates: in the middle of an id, `A1` can be `A1` or the end of `%3A1`, which decodes to `:1`.
 * @param cut the ends at which the part may begin or end inside an escape.
 * @returns all candidates, of ASCII characters only, as in ids (OIDC Core §2). Empty when no encoded id contains the
 *   part.
 */
function decodeIdPart(encoded: string, cut: 'neither' | 'start' | 'end' | 'both'): readonly string[] {
  const uncut = { character: '', rest: encoded }
  const starts = cut === 'start' || cut === 'both' ? [uncut, ...cutStarts(encoded)] : [uncut]
  const candidates = starts.flatMap(({ character, rest }) => {
    const ends = cut === 'end' || cut === 'both' ? [...decode(rest), ...cutEnds(rest)] : decode(rest)
    return ends.map((end) => character + end)
  })
  const insideEscape = cut === 'both' && encoded.length === 1 ? (charactersByMiddle.get(encoded) ?? []) : []
  return [...new Set([...candidates, ...insideEscape])]
}

/** Returns the candidates that start inside an escape. */
const cutStarts = (encoded: string): readonly { readonly character: string; readonly rest: string }[] =>
  [1, 2].flatMap((length) =>
    (charactersByEnd.get(encoded.slice(0, length)) ?? []).map((character) => ({
      character,
      rest: encoded.slice(length),
    })),
  )

/** Returns the candidates that end inside an escape. */
const cutEnds = (encoded: string): readonly string[] =>
  [1, 2].flatMap((length) => {
    const characters = charactersByStart.get(encoded.slice(-length)) ?? []
    const [text] = characters.length === 0 ? [] : decode(encoded.slice(0, -length))
    return text === undefined ? [] : characters.map((character) => text + character)
  })

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

// A filter may have a thousand tests, so the characters are looked up by the part of the escape that a value contains.

const charactersByStart = charactersBy((escape) => [escape.slice(0, 1), escape.slice(0, 2)])
const charactersByEnd = charactersBy((escape) => [escape.slice(-1), escape.slice(-2)])
const charactersByMiddle = charactersBy((escape) => [escape.slice(1, 2)])

function charactersBy(partsOf: (escape: string) => readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const { character, escape } of escapes)
    for (const part of partsOf(escape)) found.set(part, [...(found.get(part) ?? []), character])
  return found
}
