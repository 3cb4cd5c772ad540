import { refusal } from '../error/scim-error.ts'
import { type AttributeName, parseAttributeName } from '../schema/find-attribute.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerances.ts'
import type { CompareNode, FilterNode, PresentNode } from './filter-node.ts'
import { type FilterCursor, filterLimits, openCursor, readLiteral } from './filter-tokens.ts'

/**
 * Parses a filter (RFC 7644 §3.4.2.2) in linear time, within `filterLimits`.
 * @param tolerances those of the provider; by default only the grammar of the RFC is accepted.
 * @throws ScimError invalidFilter — reasons `filter_empty`, `filter_too_long`, `filter_too_deep`, `filter_too_large`,
 * `filter_syntax`, `filter_value_malformed`, `filter_value_too_long`.
 */
export function parseFilter(
  text: string,
  tolerances: ToleranceCounter = createToleranceCounter(new Set()),
): FilterNode {
  const place = createFilterParser(openCursor(text), tolerances)
  const filter = readFilter(place)
  readEnd(place)
  return filter
}

/** The state of the recursive-descent parser. */
interface FilterParser {
  readonly cursor: FilterCursor
  readonly tolerances: ToleranceCounter
  /** Counts a node and refuses the filter when it has too many. */
  readonly count: () => void
  /** `value` inside the brackets of a value path, where value paths cannot nest. */
  readonly scope: 'resource' | 'value'
  readonly depth: number
}

/** Creates a parser at the start of a text. */
export function createFilterParser(cursor: FilterCursor, tolerances: ToleranceCounter): FilterParser {
  let nodes = 0
  const count = (): void => {
    nodes += 1
    // RFC 7644 §3.12: the server limits the cost of a filter.
    if (nodes > filterLimits.nodes) throw refusal('filter_too_large')
  }
  return { cursor, tolerances, count, scope: 'resource', depth: 0 }
}

/**
 * FILTER of RFC 7644 §3.4.2.2 with its errata: `and` binds tighter than `or`, `not` needs parentheses. Recursion depth equals the
 * nesting depth, which is limited; there is no backtracking.
 */
function readFilter(place: FilterParser): FilterNode {
  return readSequence(place, 'or', () => readSequence(place, 'and', () => readFactor(place)))
}

/** Reads `[filter]` after an attribute name. */
export function readValueFilter(place: FilterParser): FilterNode {
  // RFC 7644 §3.4.2.2: valFilter contains no value path.
  if (place.scope === 'value') throw refusal('filter_syntax')
  expect(place, '[')
  const filter = readFilter(deeper(place, 'value'))
  expect(place, ']')
  return filter
}

/** Reads the name after `].`, relative to the value; undefined when there is none. */
export function readSubName({ cursor }: FilterParser): AttributeName | undefined {
  const token = cursor.peek()
  if (token.kind !== 'word' || token.gap || !token.text.startsWith('.')) return undefined
  cursor.next()
  const name = parseAttributeName(token.text.slice(1))
  // RFC 7644 §3.5.2: subAttr = "." ATTRNAME, with no further level.
  if (name?.subName !== undefined || name?.urn !== undefined) throw refusal('filter_syntax')
  return name ?? fail()
}

/** Reads an attribute name. */
export function readName({ cursor }: FilterParser): AttributeName {
  const token = cursor.next()
  return (token.kind === 'word' ? parseAttributeName(token.text) : undefined) ?? fail()
}

/** Requires the end of the text. */
export const readEnd = (place: FilterParser): void => expect(place, 'end')

function readSequence(place: FilterParser, kind: 'and' | 'or', readOperand: () => FilterNode): FilterNode {
  const first = readOperand()
  if (!takeWord(place, kind)) return first

  const operands = [first]
  place.count()
  do operands.push(readOperand())
  while (takeWord(place, kind))
  return Object.freeze({ kind, operands: Object.freeze(operands) })
}

function readFactor(place: FilterParser): FilterNode {
  const token = place.cursor.peek()
  if (token.kind === '(') return readGroup(place)
  const attribute = readName(place)
  const following = place.cursor.peek().kind
  if (following === '(' && token.kind === 'word' && token.text.toLowerCase() === 'not') {
    place.count()
    return Object.freeze({ kind: 'not', operand: readGroup(place) })
  }
  place.count()
  return following === '[' ? readValuePath(place, attribute) : readTest(place, attribute)
}

function readGroup(place: FilterParser): FilterNode {
  expect(place, '(')
  const filter = readFilter(deeper(place, place.scope))
  expect(place, ')')
  return filter
}

function readValuePath(place: FilterParser, attribute: AttributeName): FilterNode {
  const filter = readValueFilter(place)
  const subName = readSubName(place)
  // RFC 7644 §3.4.2.2: nothing follows the bracket, but Entra appends a sub-attribute.
  if (subName !== undefined && !place.tolerances.admits('sub-attribute-after-value-filter'))
    throw refusal('filter_syntax')
  const test = subName === undefined ? undefined : readTest(place, subName)
  return Object.freeze({ kind: 'valuePath', attribute, filter, test })
}

function readTest({ cursor, tolerances }: FilterParser, attribute: AttributeName): PresentNode | CompareNode {
  const token = cursor.next()
  const operator = token.kind === 'word' && token.gap ? token.text.toLowerCase() : undefined
  if (operator === 'pr') return Object.freeze({ kind: 'present', attribute })
  // RFC 7644 §3.4.2.2: compareOp; operators are case-insensitive.
  if (!isComparison(operator)) throw refusal('filter_syntax')
  return Object.freeze({ kind: 'compare', attribute, operator, value: readLiteral(cursor.next(), tolerances) })
}

/** Consumes `and` or `or`, which are delimited by spaces or brackets (RFC 7644 §3.4.2.2). */
function takeWord({ cursor }: FilterParser, word: 'and' | 'or'): boolean {
  const token = cursor.peek()
  if (token.kind !== 'word' || !token.gap || token.text.toLowerCase() !== word) return false
  cursor.next()
  return cursor.peek().gap || fail()
}

function expect({ cursor }: FilterParser, kind: '(' | ')' | '[' | ']' | 'end'): void {
  // RFC 7644 §3.4.2.2.
  if (cursor.next().kind !== kind) throw refusal('filter_syntax')
}

function deeper(place: FilterParser, scope: FilterParser['scope']): FilterParser {
  // RFC 7644 §3.12: nesting is limited because each level uses stack.
  if (place.depth >= filterLimits.depth) throw refusal('filter_too_deep')
  return { ...place, scope, depth: place.depth + 1 }
}

function fail(): never {
  // RFC 7644 §3.4.2.2.
  throw refusal('filter_syntax')
}

const isComparison = (word: string | undefined): word is CompareNode['operator'] =>
  word !== undefined && comparisonOperators.has(word)

const comparisonOperators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
