import { refusal } from '../error/refusal.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import type { FilterLiteral } from './filter-node.ts'
import { filterLimits } from './filter-limits.ts'
import type { FilterToken } from './filter-tokens.ts'

/** compValue of RFC 7644 §3.4.2.2: false, null, true, a number or a string, as in JSON. */
export function readLiteral(token: FilterToken, tally: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.4.2.2: a space stands between operator and value.
  if (!token.gap) throw refusal('filter_syntax')
  if (token.kind === 'text') return Object.freeze({ kind: 'text', value: token.value })
  // RFC 7644 §3.4.2.2: an operator other than pr has a value.
  if (token.kind !== 'word') throw refusal('filter_value_malformed')
  return Object.freeze(readWord(token.text, tally))
}

function readWord(text: string, tally: ToleranceCounter): FilterLiteral {
  // RFC 7644 §3.12.
  if (text.length > filterLimits.value) throw refusal('filter_value_too_long')
  if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true' }
  if (text === 'null') return { kind: 'null' }
  if (jsonNumber.test(text) && Number.isFinite(Number(text))) return { kind: 'number', text }
  // RFC 7644 §3.4.2.2: a string has quotes; an example in Entra's documentation leaves them out.
  if (!bareText.test(text) || !tally.admits('unquoted-filter-value')) throw refusal('filter_value_malformed')
  return { kind: 'bare', text }
}

/** RFC 8259 §6. */
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** What can be an identifier: nothing that has a meaning in a filter, in JSON or in SQL. */
const bareText = /^[\p{L}\p{M}\p{N}@.+_~:/-]+$/u
