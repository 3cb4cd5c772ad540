import { refusal } from '../error/scim-error.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import type { FilterLiteral } from './filter-node.ts'

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
export function openCursor(text: string): FilterCursor {
  // RFC 7644 §3.4.2.2: a filter has at least one expression. §3.12 lets a server limit its length.
  if (text.length > filterLimits.length) throw refusal('filter_too_long')
  if (text.trim() === '') throw refusal('filter_empty')

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
  throw refusal('filter_value_malformed')
}

function readString(literal: string): string {
  const value = parseJsonString(literal)
  // RFC 8259 §8.2: a lone surrogate is not a character. Databases cannot compare NUL.
  if (noCharacter.test(value)) throw refusal('filter_value_malformed')
  // RFC 7644 §3.12.
  if (value.length > filterLimits.value) throw refusal('filter_value_too_long')
  return value
}

function parseJsonString(literal: string): string {
  try {
    return JSON.parse(literal) as string
  } catch (cause) {
    // RFC 7644 §3.4.2.2: compValue follows the JSON grammar (RFC 8259 §7).
    throw refusal('filter_value_malformed', { cause })
  }
}

// With the u flag, \p{Surrogate} matches only lone surrogates.
const noCharacter = /\0|\p{Surrogate}/u

/** Reads compValue of RFC 7644 §3.4.2.2: false, null, true, a number or a string, as in JSON. */
export function readLiteral(token: FilterToken, tolerances: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.4.2.2: a space separates the operator from the value.
  if (!token.gap) throw refusal('filter_syntax')
  if (token.kind === 'text') return Object.freeze({ kind: 'text', value: token.value })
  // RFC 7644 §3.4.2.2: every operator except pr takes a value.
  if (token.kind !== 'word') throw refusal('filter_value_malformed')
  return Object.freeze(readWord(token.text, tolerances))
}

function readWord(text: string, tolerances: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.12.
  if (text.length > filterLimits.value) throw refusal('filter_value_too_long')
  if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true' }
  if (text === 'null') return { kind: 'null' }
  if (jsonNumber.test(text) && Number.isFinite(Number(text))) return { kind: 'number', text }
  // RFC 7644 §3.4.2.2: a string is quoted. An example in Entra's documentation leaves the quotes out.
  if (!bareText.test(text) || !tolerances.admits('unquoted-filter-value')) throw refusal('filter_value_malformed')
  return { kind: 'bare', text }
}

/** RFC 8259 §6. */
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Characters of identifiers; none of them has a meaning in a filter, in JSON or in SQL. */
const bareText = /^[\p{L}\p{M}\p{N}@.+_~:/-]+$/u

/** Limits on the cost of a filter (RFC 7644 §3.12 leaves them to the server). */
export const filterLimits = {
  /** Characters of the whole text. */
  length: 4096,
  /** Levels of parentheses, `not` and brackets. */
  depth: 20,
  /** Comparisons, value paths, `not`, `and`, `or`. */
  nodes: 200,
  /** Characters of one value. */
  value: 1024,
} as const
