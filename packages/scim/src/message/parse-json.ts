import { refusal } from '../error/refusal.ts'

/**
 * Parses JSON text and refuses objects with repeated member names: parsers disagree about which one counts, and `JSON.parse` does
 * not report them (RFC 8259 §4).
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`; 413 — reason `body_too_large`.
 */
export function parseJson(text: string): unknown {
  refuseRepeatedMembers(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    // RFC 7644 §3.12 invalidSyntax.
    throw refusal('body_malformed', { cause })
  }
}

/** Scans the text once. Malformed JSON may pass, because `JSON.parse` refuses it. */
function refuseRepeatedMembers(text: string): void {
  // The member names seen so far, for each open object and array.
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '{' || character === '[') open.push(undefined)
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = endOfString(text, at + 1)
      if (end === undefined) return
      if (isName(text, end + 1)) open.push(withName(text.slice(at, end + 1), open.pop()))
      at = end
    }
    // RFC 7644 §3.12 invalidSyntax: no schema is nested so deeply. Refused before anything is parsed.
    if (open.length > maximumDepth) throw refusal('body_too_deep')
  }
}

/** The position of the closing quote. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at += 1
  }
  return undefined
}

function isName(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return text[at] === ':'
}

function withName(quoted: string, names = new Set<string>()): Set<string> {
  const name = quoted.includes('\\') ? withoutEscapes(quoted) : quoted.slice(1, -1)
  // RFC 7643 §2.1: an attribute is given once.
  if (names.has(name)) throw refusal('member_repeated')
  // RFC 9110 §15.5.14: no schema has so many attributes. Parsing such an object would block other requests.
  if (names.size === maximumMembers) throw refusal('body_too_large')
  return names.add(name)
}

function withoutEscapes(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    // An invalid escape: `JSON.parse` refuses the whole text afterwards.
    return quoted
  }
}

const maximumDepth = 32
const maximumMembers = 1000
