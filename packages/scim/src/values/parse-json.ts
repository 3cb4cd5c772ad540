import type { Pieces } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'

/**
 * Parses JSON text in pieces (RFC 8259). `JSON.parse` would block other requests for half a second when the objects of a message
 * have many different names, and it does not report repeated names, about which parsers disagree (§4).
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`; 413 — reason `body_too_large`.
 */
export function* parseJson(text: string): Pieces<JsonValue> {
  // A value takes at least one character, so short text has neither too many values nor too many members. It may be
  // nested more deeply than this function allows, but `parseJsonObjectInPieces` then rejects it.
  const value = text.length <= shortText ? parseCompact(text) : undefined
  return value === undefined ? yield* parseInPieces(text, mostValues(text.length)) : value
}

/**
 * Parses text with `JSON.parse`, which is several times faster, if it is written as `JSON.stringify` writes it: then it repeats no
 * name. Most identity providers write small messages like that.
 * @returns undefined for other text.
 */
function parseCompact(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** In characters. A thousand members with different names take more. */
const shortText = 4096

function* parseInPieces(text: string, maximumValues: number): Pieces<JsonValue> {
  let at = 0
  let values = 0
  let tokens = 0

  /** Counts a token. Returns whether enough tokens were read for one piece. */
  function isPieceRead(): boolean {
    tokens += 1
    return tokens % tokensInPiece === 0
  }

  /** Returns the next character that is not white space, without consuming it. */
  function peek(): string | undefined {
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
    return text[at]
  }

  function consume(character: string): void {
    if (peek() !== character) throw refuse('body_malformed')
    at += 1
  }

  /** Consumes a comma, or the end of a container. @returns whether another value follows. */
  function consumeComma(end: string): boolean {
    const isComma = peek() === ','
    if (isComma) countValue()
    consume(isComma ? ',' : end)
    return isComma
  }

  function countValue(): void {
    values += 1
    // RFC 9110 §15.5.14: more values take too long.
    if (values > maximumValues) throw refuse('body_too_large')
  }

  function* readValue(depth: number): Pieces<JsonValue> {
    const first = peek()
    if (first === '"') return readString()
    if (first !== '{' && first !== '[') return readLiteral()
    // RFC 7644 §3.12 invalidSyntax: no schema is nested so deeply.
    if (depth === maximumTextDepth) throw refuse('body_too_deep')
    countValue()
    at += 1
    return yield* first === '{' ? readObject(depth + 1) : readArray(depth + 1)
  }

  function* readArray(depth: number): Pieces<JsonValue> {
    const items: JsonValue[] = []
    if (peek() === ']') {
      at += 1
      return items
    }
    do {
      items.push(isContainer(peek()) ? yield* readValue(depth) : readScalar())
      if (isPieceRead()) yield
    } while (consumeComma(']'))
    return items
  }

  function* readObject(depth: number): Pieces<JsonValue> {
    if (peek() === '}') {
      at += 1
      // It takes less memory than an object without a prototype, and a message may have hundreds of thousands.
      return {}
    }
    // Without a prototype, `__proto__` is an ordinary member, and V8 keeps no table of the many shapes that objects may have.
    const object = Object.create(null) as Record<string, JsonValue>
    let members = 0
    do {
      const name = readName()
      // RFC 7643 §2.1: an attribute is given once.
      if (Object.hasOwn(object, name)) throw refuse('member_repeated')
      // RFC 9110 §15.5.14: no schema has so many attributes.
      if (members === maximumMembers) throw refuse('body_too_large')
      members += 1
      object[name] = isContainer(peek()) ? yield* readValue(depth) : readScalar()
      if (isPieceRead()) yield
    } while (consumeComma('}'))
    return object
  }

  const readScalar = (): JsonValue => (peek() === '"' ? readString() : readLiteral())

  function readName(): string {
    if (peek() !== '"') throw refuse('body_malformed')
    const name = readString()
    consume(':')
    return name
  }

  function readString(): string {
    const end = endOfString(text, at + 1)
    if (end === undefined) throw refuse('body_malformed')
    const quoted = text.slice(at, end + 1)
    at = end + 1
    return stringOf(quoted)
  }

  function readLiteral(): JsonValue {
    literalForm.lastIndex = at
    const [literal] = literalForm.exec(text) ?? []
    if (literal === undefined) throw refuse('body_malformed')
    at += literal.length
    return literals.get(literal) ?? (literal === 'null' ? null : Number(literal))
  }

  const value = yield* readValue(0)
  // RFC 7644 §3.12 invalidSyntax: something follows the value.
  if (peek() !== undefined) throw refuse('body_malformed')
  return value
}

/**
 * Returns how many values a text of this length may have: one for every ten characters. Each value takes memory, however
 * short it is in the text. The values of a group's members are longer.
 */
const mostValues = (length: number): number => Math.max(100_000, Math.floor(length / 10))

const isContainer = (first: string | undefined): boolean => first === '{' || first === '['

/** Returns the position of the closing quotation mark. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes += 1
    // An even number of backslashes escape one another, so the quotation mark is not escaped.
    if (backslashes % 2 === 0) return at
  }
  return undefined
}

function stringOf(quoted: string): string {
  if (!escapedOrControl.test(quoted)) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch (cause) {
    // RFC 7644 §3.12 invalidSyntax: an invalid escape, or a control character.
    throw refuse('body_malformed', { cause })
  }
}

// oxlint-disable-next-line no-control-regex -- RFC 8259 §7: control characters are escaped.
const escapedOrControl = /[\\\u0000-\u001F]/

/** Numbers as in RFC 8259 §6. */
const literalForm = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

const literals: ReadonlyMap<string, JsonValue> = new Map([
  ['true', true],
  ['false', false],
])

const tokensInPiece = 1000
const maximumTextDepth = 32
const maximumMembers = 1000
