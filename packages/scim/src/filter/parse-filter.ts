// One file: the grammar of a filter (RFC 7644 §3.4.2.2), from its tokens to its syntax tree.

import { refuse } from '../error/scim-error.ts'
import { type AttributeName, parseAttributeName } from '../schema/find-attribute.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerances.ts'
import type { CompareNode, FilterLiteral, FilterNode, PresentNode } from './filter-node.ts'

/**
 * Parses a filter (RFC 7644 §3.4.2.2) in linear time, within limits.
 * @param tolerances the tolerances of the provider; by default, only the grammar of the RFC is accepted.
 * @throws ScimError invalidFilter — reasons `filter_empty`, `filter_too_long`, `filter_too_deep`, `filter_too_large`,
 * `filter_syntax`, `filter_value_malformed`, `filter_value_too_long`.
 */
export function parseFilter(
  text: string,
  tolerances: ToleranceCounter = createToleranceCounter(new Set()),
  limits: FilterLimits = defaultFilterLimits,
): FilterNode {
  const parser = createFilterParser(openCursor(text, limits), tolerances, limits)
  const filter = readFilter(parser)
  readEnd(parser)
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

/** Creates a parser at the start of a filter. */
export function createFilterParser(
  cursor: FilterCursor,
  tolerances: ToleranceCounter,
  limits: FilterLimits,
): FilterParser {
  let parts = 0
  const count = (): void => {
    parts += 1
    // RFC 7644 §3.12: the server limits the cost of a filter.
    if (parts > limits.parts) throw refuse('filter_too_large')
  }
  return { cursor, tolerances, count, scope: 'resource', depth: 0 }
}

/**
 * Reads FILTER of RFC 7644 §3.4.2.2 with its errata: `and` has precedence over `or`, and `not` needs parentheses.
 * Recursion depth equals the nesting depth, which is limited; there is no backtracking.
 */
function readFilter(parser: FilterParser): FilterNode {
  return readSequence(parser, 'or', () => readSequence(parser, 'and', () => readFactor(parser)))
}

/** Reads `[filter]` after an attribute name. */
export function readValueFilter(parser: FilterParser): FilterNode {
  // RFC 7644 §3.4.2.2: valFilter contains no value path.
  if (parser.scope === 'value') throw refuse('filter_syntax')
  expectAdjacent(parser, '[')
  requireNoGap(parser)
  const filter = readFilter(descend(parser, 'value'))
  requireNoGap(parser)
  expect(parser, ']')
  return filter
}

/** Reads the name after `].`, relative to the value; undefined when there is none. */
export function readSubName({ cursor }: FilterParser): AttributeName | undefined {
  const token = cursor.peek()
  if (token.kind !== 'word' || token.gap || !token.text.startsWith('.')) return undefined
  cursor.next()
  const name = parseAttributeName(token.text.slice(1))
  // RFC 7644 §3.5.2: subAttr = "." ATTRNAME, with no further level.
  if (name?.subName !== undefined || name?.urn !== undefined) throw refuse('filter_syntax')
  return name ?? fail()
}

/** Reads an attribute name. */
export function readName({ cursor }: FilterParser): AttributeName {
  const token = cursor.next()
  return (token.kind === 'word' ? parseAttributeName(token.text) : undefined) ?? fail()
}

/** Requires the end of the text. */
export const readEnd = (parser: FilterParser): void => expect(parser, 'end')

function readSequence(parser: FilterParser, kind: 'and' | 'or', readOperand: () => FilterNode): FilterNode {
  const first = readOperand()
  if (!consumeWord(parser, kind)) return first

  const operands = [first]
  parser.count()
  do operands.push(readOperand())
  while (consumeWord(parser, kind))
  return Object.freeze({ kind, operands: Object.freeze(operands) })
}

function readFactor(parser: FilterParser): FilterNode {
  const token = parser.cursor.peek()
  if (token.kind === '(') return readGroup(parser)
  const attribute = readName(parser)
  const following = parser.cursor.peek().kind
  if (following === '(' && token.kind === 'word' && token.text.toLowerCase() === 'not') {
    parser.count()
    return Object.freeze({ kind: 'not', operand: readGroup(parser) })
  }
  parser.count()
  return following === '[' ? readValuePath(parser, attribute) : readTest(parser, attribute)
}

function readGroup(parser: FilterParser): FilterNode {
  expect(parser, '(')
  const filter = readFilter(descend(parser, parser.scope))
  expect(parser, ')')
  return filter
}

function readValuePath(parser: FilterParser, attribute: AttributeName): FilterNode {
  const filter = readValueFilter(parser)
  const subName = readSubName(parser)
  // RFC 7644 §3.4.2.2: nothing follows the bracket, but Entra appends a sub-attribute.
  if (subName !== undefined && !parser.tolerances.admits('sub-attribute-after-value-filter'))
    throw refuse('filter_syntax')
  const test = subName === undefined ? undefined : readTest(parser, subName)
  return Object.freeze({ kind: 'valuePath', attribute, filter, test })
}

function readTest({ cursor, tolerances }: FilterParser, attribute: AttributeName): PresentNode | CompareNode {
  const token = cursor.next()
  const operator = token.kind === 'word' && token.gap ? token.text.toLowerCase() : undefined
  if (operator === 'pr') return Object.freeze({ kind: 'present', attribute })
  // RFC 7644 §3.4.2.2: compareOp; operators are case-insensitive.
  if (!isComparison(operator)) throw refuse('filter_syntax')
  return Object.freeze({ kind: 'compare', attribute, operator, value: readLiteral(cursor.next(), tolerances) })
}

/** Consumes `and` or `or`, which need a space on both sides (RFC 7644 §3.4.2.2). Returns false for any other token. */
function consumeWord({ cursor }: FilterParser, word: 'and' | 'or'): boolean {
  const token = cursor.peek()
  if (token.kind !== 'word' || !token.gap || token.text.toLowerCase() !== word) return false
  cursor.next()
  return cursor.peek().gap || fail()
}

function expect({ cursor }: FilterParser, kind: '(' | ')' | '[' | ']' | 'end'): void {
  if (cursor.next().kind !== kind) throw refuse('filter_syntax')
}

/** Consumes a bracket of a valuePath, which no space may precede (RFC 7644 §3.4.2.2). */
function expectAdjacent(parser: FilterParser, kind: '['): void {
  if (parser.cursor.peek().gap) throw refuse('filter_syntax')
  expect(parser, kind)
}

/** Requires that no space is next to a bracket (RFC 7644 §3.4.2.2), unless the profile ignores it. */
function requireNoGap({ cursor, tolerances }: FilterParser): void {
  if (cursor.peek().gap && !tolerances.admits('space-in-brackets')) throw refuse('filter_syntax')
}

function descend(parser: FilterParser, scope: FilterParser['scope']): FilterParser {
  // RFC 7644 §3.12: nesting is limited because each level uses stack.
  if (parser.depth >= maximumDepth) throw refuse('filter_too_deep')
  return { ...parser, scope, depth: parser.depth + 1 }
}

function fail(): never {
  throw refuse('filter_syntax')
}

const isComparison = (word: string | undefined): word is CompareNode['operator'] =>
  word !== undefined && comparisonOperators.has(word)

const comparisonOperators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])

/** A token of a filter; `gap` says whether a space precedes it. */
type FilterToken =
  | { readonly kind: 'word'; readonly text: string; readonly gap: boolean }
  | { readonly kind: 'text'; readonly value: string; readonly gap: boolean }
  | { readonly kind: '(' | ')' | '[' | ']' | 'end'; readonly gap: boolean }

/** A cursor over the tokens of a filter. */
export interface FilterCursor {
  readonly peek: () => FilterToken
  readonly next: () => FilterToken
}

/**
 * Splits a filter into tokens in one pass, without backtracking.
 * @throws ScimError invalidFilter — reason `filter_empty` | `filter_too_long` | `filter_value_malformed` |
 * `filter_value_too_long`.
 */
export function openCursor(text: string, limits: FilterLimits): FilterCursor {
  // RFC 7644 §3.4.2.2: a filter has at least one expression. §3.12 lets a server limit its length.
  if (text.length > limits.length) throw refuse('filter_too_long')
  if (text.trim() === '') throw refuse('filter_empty')

  const tokens: FilterToken[] = []
  for (let at = 0; at < text.length || tokens.length === 0;) {
    const { token, end } = readToken(text, at)
    tokens.push(token)
    at = end
  }
  const end = { kind: 'end', gap: false } as const
  let position = 0
  return {
    peek: () => tokens[position] ?? end,
    next: () => tokens[position++] ?? end,
  }
}

function readToken(text: string, from: number): { readonly token: FilterToken; readonly end: number } {
  let at = from
  while (text[at] === ' ') at += 1
  const gap = at > from
  const first = text[at]
  switch (first) {
    case undefined:
      return { token: { kind: 'end', gap }, end: at }
    case '(':
    case ')':
    case '[':
    case ']':
      return { token: { kind: first, gap }, end: at + 1 }
    case '"': {
      const end = endOfString(text, at)
      return { token: { kind: 'text', value: readString(text.slice(at, end)), gap }, end }
    }
    default: {
      const end = endOfWord(text, at)
      return { token: { kind: 'word', text: text.slice(at, end), gap }, end }
    }
  }
}

function endOfWord(text: string, from: number): number {
  let at = from
  while (at < text.length && !' ()[]"'.includes(text.charAt(at))) at += 1
  return at
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  // RFC 8259 §7: a string ends with a quotation mark.
  throw refuse('filter_value_malformed')
}

function readString(literal: string): string {
  const value = parseJsonString(literal)
  // RFC 8259 §8.2: a lone surrogate is not a character. Databases cannot compare NUL.
  if (unsupportedCharacter.test(value)) throw refuse('filter_value_malformed')
  // RFC 7644 §3.12.
  if (value.length > maximumValueLength) throw refuse('filter_value_too_long')
  return value
}

function parseJsonString(literal: string): string {
  try {
    return JSON.parse(literal) as string
  } catch (cause) {
    // RFC 7644 §3.4.2.2: compValue follows the JSON grammar (RFC 8259 §7).
    throw refuse('filter_value_malformed', { cause })
  }
}

// With the u flag, \p{Surrogate} matches only lone surrogates.
const unsupportedCharacter = /\0|\p{Surrogate}/u

/** Reads compValue of RFC 7644 §3.4.2.2: false, null, true, a number or a string, as in JSON. */
function readLiteral(token: FilterToken, tolerances: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.4.2.2: a space separates the operator from the value.
  if (!token.gap) throw refuse('filter_syntax')
  if (token.kind === 'text') return Object.freeze({ kind: 'text', value: token.value })
  // RFC 7644 §3.4.2.2: every operator except pr takes a value.
  if (token.kind !== 'word') throw refuse('filter_value_malformed')
  return Object.freeze(readWord(token.text, tolerances))
}

function readWord(text: string, tolerances: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.12.
  if (text.length > maximumValueLength) throw refuse('filter_value_too_long')
  if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true' }
  if (text === 'null') return { kind: 'null' }
  if (jsonNumber.test(text) && Number.isFinite(Number(text))) return { kind: 'number', text }
  // RFC 7644 §3.4.2.2: a string is quoted. An example in Entra's documentation leaves the quotes out.
  if (!bareText.test(text) || !tolerances.admits('unquoted-filter-value')) throw refuse('filter_value_malformed')
  return { kind: 'bare', text }
}

/** RFC 8259 §6. */
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Characters of identifiers; none of them has a meaning in a filter, in JSON or in SQL. */
const bareText = /^[\p{L}\p{M}\p{N}@.+_~:/-]+$/u

/** The maximum depth of nested parentheses, `not` and brackets. */
const maximumDepth = 20

/** The maximum number of characters of one value. */
const maximumValueLength = 1024

/** Limits on the cost of a filter, which RFC 7644 §3.12 leaves to the server. */
export interface FilterLimits {
  /**
   * The maximum number of characters of a filter. Most HTTP servers limit a URL to 8 or 16 kB; a search by POST to
   * `/.search` has no such limit.
   * @defaultValue 16384. Governance tools request several hundred users by id in one filter.
   */
  readonly length: number
  /**
   * The maximum number of comparisons, value paths, `not`, `and` and `or`; a sequence of operands with the same
   * operator counts once.
   * @defaultValue 1000. A filter of 16384 characters has fewer, unless its values are very short.
   */
  readonly parts: number
}

export const defaultFilterLimits: FilterLimits = { length: 16_384, parts: 1000 }
