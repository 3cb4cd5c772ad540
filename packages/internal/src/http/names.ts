/**
 * Returns a name without characters that nobody sees or that change how the rest is shown: tabs and line breaks become
 * one space; zero-width characters and marks of direction are removed. Other control characters stay, so that the name
 * is refused. The joiners U+200C and U+200D stay, because Persian names and emoji need them.
 */
export const cleanName = (name: string): string => name.replaceAll(breaks, ' ').replaceAll(hidden, '')

/** Returns whether a name contains none of these characters, and no other control character. */
export const isCleanName = (name: string): boolean => cleanName(name) === name && !/\p{Cc}/u.test(name)

const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu
// Direction marks, overrides and isolates (UAX #9), and zero-width characters (RFC 8264 §9.13).
const hidden = /(?!\u200C|\u200D|[\u{E0020}-\u{E007F}])\p{Cf}/gu
