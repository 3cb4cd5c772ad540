/**
 * The form in which texts are compared where their attribute is not case-exact (RFC 7643 §2.2 caseExact): full-width and
 * half-width forms made ordinary, lower case, composed (RFC 8265 §3.3.1, without its refusals). A store that keeps a
 * column to compare with fills it with this, so that it agrees with what is compared in memory. Idempotent.
 */
export function foldCase(text: string): string {
  if (printableAscii.test(text)) return text.toLowerCase()
  const lower = foldWidth(text).normalize('NFC').toLowerCase()
  // A sigma's lower case depends on where it stands; what is compared must not.
  return lower.replaceAll('ς', 'σ').normalize('NFC')
}

/** Full-width and half-width forms as ordinary characters (RFC 8265 §3.3.1, width mapping). */
const foldWidth = (text: string): string => text.replace(wideOrNarrow, (run) => run.normalize('NFKC'))

const printableAscii = /^[ -~]*$/
const wideOrNarrow = /[\u3000\uFF01-\uFFEE]+/g

/**
 * Which characters a text may hold: `line` no control characters, so that it can stand in a mail header or a log line;
 * `lines` also line breaks and tabs; `identifier` what a person can be told apart by (RFC 8265 §3.3, for `userName`).
 */
export type TextRule = 'line' | 'lines' | 'identifier'

/** Whether a text keeps its rule. No text holds NUL or half a surrogate pair: no database and no other program reads it back. */
export function isAllowedText(text: string, rule: TextRule): boolean {
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

/** Reads "True", "FALSE" and the like, with nothing around it. @returns undefined for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  if (text.length > 5) return undefined
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  return lower === 'false' ? false : undefined
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
type EpochMilliseconds = number

/**
 * Reads a dateTime (RFC 7643 §2.3.5, xsd:dateTime): date, time and zone designator; digits of the second beyond the third
 * are dropped.
 * @returns undefined for anything else.
 */
export function parseInstant(text: string): EpochMilliseconds | undefined {
  if (text.length > 40) return undefined
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', zone] = match
  const instant = Date.parse(`${date}T${time}.${fraction.slice(1, 4).padEnd(3, '0')}${zone}`)
  return Number.isNaN(instant) || !isDayOfMonth(date ?? '') ? undefined : instant
}

/** `Date.parse` takes 31 February for 3 March. */
function isDayOfMonth(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/
