import { isCleanName } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

/**
 * Folds text for comparison where the attribute is not case-exact (RFC 7643 §2.2 caseExact): width mapping, lower case
 * and NFC (RFC 8265 §3.3.1, but no character is rejected). Idempotent. A store that keeps a column for comparison must
 * fill it with this function, so that it agrees with comparisons in memory.
 */
export function foldCase(text: string): string {
  if (printableAscii.test(text)) return text.toLowerCase()
  const lower = foldWidth(text).normalize('NFC').toLowerCase()
  // The lower case of sigma depends on its position; the folded form must not.
  return lower.replaceAll('ς', 'σ').normalize('NFC')
}

/** Maps full-width and half-width forms to their ordinary characters (RFC 8265 §3.3.1, width mapping). */
const foldWidth = (text: string): string => text.replace(wideOrNarrow, (run) => run.normalize('NFKC'))

const printableAscii = /^[ -~]*$/
const wideOrNarrow = /[\u3000\uFF01-\uFFEE]+/g

/**
 * Returns the look-up key of an attribute or schema name. Names are ASCII and case-insensitive (RFC 7643 §2.1, RFC 7644
 * §3.10).
 */
export const nameKey = (name: string): string => name.toLowerCase()

/**
 * The characters that text may contain. `line`: no control characters, so that it is safe in a mail header or a log line.
 * `lines`: line breaks and tabs as well. `name`: a line without invisible characters and marks of direction. `identifier`: only characters that identify a user unambiguously (RFC 8265 §3.3, for
 * `userName`).
 */
export type TextRule = 'line' | 'lines' | 'name' | 'identifier'

/**
 * Returns whether text contains only characters that its rule allows. NUL and lone surrogates are never allowed,
 * because not every database can store them.
 */
export function isAllowedText(text: string, rule: TextRule): boolean {
  if (loneSurrogate.test(text)) return false
  switch (rule) {
    case 'line':
      return !control.test(text)
    case 'name':
      return isCleanName(text)
    case 'lines':
      return !controlButBreaks.test(text)
    case 'identifier':
      return !control.test(text) && !invisible.test(text) && !hasCompatibilityCharacters(text) && text.trim() === text
    default:
      return rule satisfies never
  }
}

/**
 * Returns whether text contains compatibility characters, such as ligatures and superscripts, which an identifier must
 * not contain (RFC 8264 §9.17).
 */
function hasCompatibilityCharacters(text: string): boolean {
  const ordinary = foldWidth(text)
  return ordinary.normalize('NFKC') !== ordinary.normalize('NFC')
}

// With the u flag, \p{Surrogate} matches only lone surrogates.
const loneSurrogate = /\p{Surrogate}/u
const control = /[\p{Cc}\u2028\u2029]/u
const controlButBreaks = /(?![\t\n\r])\p{Cc}/u
// Direction marks, zero-width characters and other invisible characters (RFC 8264 §9.13).
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Parses "true" and "false" in any case. @returns undefined for any other text, and for text with surrounding space. */
export function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  return lower === 'false' ? false : undefined
}

/** Milliseconds since 1970-01-01T00:00:00Z. */
type EpochMilliseconds = number

/**
 * Parses a dateTime (RFC 7643 §2.3.5, xsd:dateTime) with date, time and time zone. Fractions beyond milliseconds are dropped.
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

/** Returns whether the month has this day: `Date.parse` accepts 31 February as 3 March. */
function isDayOfMonth(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/**
 * Formats a point in time as a dateTime in UTC (RFC 7643 §2.3.5). `Date` takes three times as long, and a page has up to 200 users
 * with two dates each.
 */
export function formatInstant(at: EpochSeconds): string {
  // RFC 3339 §5.6: a year has four digits.
  if (at < 0 || at >= firstOfYear10000) return new Date(at * 1000).toISOString()
  const second = at % daySeconds
  return `${formatDay((at - second) / daySeconds)}T${twoDigits(Math.floor(second / 3600))}:${twoDigits(Math.floor(second / 60) % 60)}:${twoDigits(second % 60)}.000Z`
}

const daySeconds = 86_400
const firstOfYear10000 = 253_402_300_800

/** Formats a day, counted from 1970, in the Gregorian calendar. Years begin in March here, so that a leap day is their last day. */
function formatDay(day: number): string {
  const sinceEra = (day + 719_468) % 146_097
  const era = (day + 719_468 - sinceEra) / 146_097
  const years = Math.floor(
    (sinceEra - Math.floor(sinceEra / 1460) + Math.floor(sinceEra / 36_524) - Math.floor(sinceEra / 146_096)) / 365,
  )
  const inYear = sinceEra - 365 * years - Math.floor(years / 4) + Math.floor(years / 100)
  const months = Math.floor((5 * inYear + 2) / 153)
  const month = months < 10 ? months + 3 : months - 9
  const inMonth = inYear - Math.floor((153 * months + 2) / 5) + 1
  return `${400 * era + years + (month <= 2 ? 1 : 0)}-${twoDigits(month)}-${twoDigits(inMonth)}`
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)

const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/**
 * Returns whether a string is exactly one e-mail address: an addr-spec of RFC 5322 §3.4.1 without quotes, comments and
 * address literals, whose domain is a host name with a dot. OIDC Core §5.1 requires an addr-spec.
 */
export const isEmailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^@]{1,64}@/.test(text) && addrSpec.test(text)

const addrSpec =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Builds text in UTF-8 piece by piece. It collects bytes, because a large string would be in memory three times until it
 * is sent.
 */
export interface Utf8Builder {
  readonly add: (piece: string | Uint8Array) => void
  /** Returns everything that was added. */
  readonly toBytes: () => Uint8Array
}

/** Creates a builder without text. @param expected the number of bytes to allocate first. */
export function createUtf8Builder(expected: number): Utf8Builder {
  let bytes = new Uint8Array(expected)
  let length = 0

  function grow(needed: number): void {
    if (needed <= bytes.length) return
    const larger = new Uint8Array(Math.max(needed, Math.ceil(bytes.length * 1.5)))
    larger.set(bytes.subarray(0, length))
    bytes = larger
  }

  return {
    add(piece) {
      if (typeof piece !== 'string') {
        grow(length + piece.length)
        bytes.set(piece, length)
        length += piece.length
        return
      }
      // A UTF-16 code unit takes at most three bytes in UTF-8.
      grow(length + piece.length * 3)
      length += encoder.encodeInto(piece, bytes.subarray(length)).written
    },
    toBytes: () => bytes.subarray(0, length),
  }
}

const encoder = new TextEncoder()
