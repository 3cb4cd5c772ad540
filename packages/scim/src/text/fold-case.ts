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
export const foldWidth = (text: string): string => text.replace(wideOrNarrow, (run) => run.normalize('NFKC'))

const printableAscii = /^[ -~]*$/
const wideOrNarrow = /[\u3000\uFF01-\uFFEE]+/g
