import { foldWidth } from './fold-case.ts'

/**
 * Which characters a text may hold: `line` no control characters, so that it can stand in a mail header or a log line;
 * `lines` also line breaks and tabs; `identifier` what a person can be told apart by (RFC 8265 §3.3, for `userName`).
 */
export type TextRule = 'line' | 'lines' | 'identifier'

/** Whether a text keeps its rule. No text holds NUL or half a surrogate pair: no database and no other program reads it back. */
export function keepsRule(text: string, rule: TextRule): boolean {
  if (loneSurrogate.test(text)) return false
  switch (rule) {
    case 'line':
      return !control.test(text)
    case 'lines':
      return !controlButBreaks.test(text)
    case 'identifier':
      return !control.test(text) && !invisible.test(text) && !looksLikeAnother(text) && text.trim() === text
    default:
      return rule satisfies never
  }
}

/** RFC 8264 §9.17: a character that is a form of others (a ligature, a superscript) is not for identifiers. */
function looksLikeAnother(text: string): boolean {
  const ordinary = foldWidth(text)
  return ordinary.normalize('NFKC') !== ordinary.normalize('NFC')
}

// With the u flag only a surrogate that stands alone is one.
const loneSurrogate = /\p{Surrogate}/u
const control = /[\p{Cc}\u2028\u2029]/u
const controlButBreaks = /(?![\t\n\r])\p{Cc}/u
// Marks of direction, zero-width characters and others that are not seen (RFC 8264 §9.13, §9.14).
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
