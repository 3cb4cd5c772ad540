import type { Pieces } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { nameKey } from './text.ts'

/**
 * Creates an object without a prototype, in which `__proto__` is an ordinary member. The last of several members with the same
 * name wins, and `undefined` removes a member.
 */
export function toObject(members: Iterable<readonly [name: string, value: JsonValue | undefined]>): JsonObject {
  const object = Object.create(nothing) as Record<string, JsonValue>
  for (const [name, value] of members) {
    if (value === undefined) delete object[name]
    else object[name] = value
  }
  return object
}

/** An own member of an object, never an inherited one. */
export function getMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A member that is a non-empty string; otherwise undefined. */
export function getText(object: JsonObject, name: string): string | undefined {
  const value = getMember(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A copy with one member set, or without it when the value is `undefined`. */
export const withMember = (object: JsonObject, name: string, value: JsonValue | undefined): JsonObject =>
  toObject([...Object.entries(object), [name, value]])

/** Whether it is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it is a JSON array. */
export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/**
 * Used instead of `null` because V8 stores an object without a prototype as a hash table, which takes twice as long to copy and
 * to serialize.
 */
const nothing = Object.freeze(Object.create(null) as object)

/** Whether two JSON values are equal, ignoring the order of members. Recursive: values are no deeper than our schemas. */
export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isArray(one))
    return isArray(other) && one.length === other.length && one.every((item, index) => sameValue(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(getMember(one, name), getMember(other, name)))
  )
}

/**
 * Parses JSON text and refuses objects with repeated member names: parsers disagree about which one counts, and `JSON.parse` does
 * not report them (RFC 8259 §4).
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`; 413 — reason `body_too_large`.
 */
export function* parseJson(text: string): Pieces<unknown> {
  yield* refuseRepeatedMembers(text)
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    // RFC 7644 §3.12 invalidSyntax.
    throw refusal('body_malformed', { cause })
  }
}

/**
 * Scans the text once, before it is parsed in one go: what would take too long to parse is refused here. Malformed JSON may
 * pass, because `JSON.parse` refuses it.
 */
function* refuseRepeatedMembers(text: string): Pieces<void> {
  // The member names seen so far, for each open object and array.
  const open: (Set<string> | undefined)[] = []
  let values = 0
  let tokens = 0
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
    if (character === ',' || character === '{' || character === '[') values += 1
    // RFC 7644 §3.12 invalidSyntax: no schema is nested so deeply. Refused before anything is parsed.
    if (open.length > maximumTextDepth) throw refusal('body_too_deep')
    // RFC 9110 §15.5.14: parsing that many blocks other requests.
    if (values > maximumValues) throw refusal('body_too_large')
    tokens += 1
    if (tokens % 1000 === 0) yield
  }
}

/** The position of the closing quote. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes += 1
    // An even number of backslashes escapes each other.
    if (backslashes % 2 === 0) return at
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

const maximumTextDepth = 32
const maximumMembers = 1000

/** Deeper than any valid message: message, operations, operation, value, extension, values, value, sub-attribute, its values. */
const maximumDepth = 10

/** More than the largest group in one message has: a hundred thousand members with two values each. */
const maximumValues = 500_000

/**
 * Requires a parsed body to be a JSON object of limited depth and size. Iterative, so that depth uses no stack.
 * @throws ScimError invalidSyntax — reason `body_malformed` | `body_too_deep`; 413 — reason `body_too_large`.
 */
export function parseJsonObject(body: unknown): JsonObject {
  // RFC 7644 §3.12 invalidSyntax: a SCIM message is a JSON object.
  if (!isObject(body)) throw refusal('body_malformed')

  let level: JsonContainer[] = [body]
  let values = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    // RFC 7644 §3.12 invalidSyntax: no schema has complex attributes inside complex ones (RFC 7643 §2.3.8).
    if (depth > maximumDepth) throw refusal('body_too_deep')
    const next: JsonContainer[] = []
    // Loops, because a megabyte of JSON has hundreds of thousands of containers.
    for (const container of level) {
      values += addContainers(container, next)
    }
    // RFC 9110 §15.5.14: refused before it is processed.
    if (values > maximumValues) throw refusal('body_too_large')
    level = next
  }
  return body
}

/** Adds the objects and arrays of a container to a list. @returns how many values the container has. */
function addContainers(container: JsonContainer, list: JsonContainer[]): number {
  const values: readonly JsonValue[] = isArray(container) ? container : Object.values(container)
  for (const value of values) if (typeof value === 'object' && value !== null) list.push(value)
  return values.length
}

type JsonContainer = JsonObject | readonly JsonValue[]

/** A member of an object, with its name as written. */
export interface Member {
  readonly name: string
  readonly value: JsonValue
}

/**
 * The members of an object by `nameKey`.
 * @throws ScimError invalidSyntax — reason `member_repeated`.
 */
export function membersByName(object: JsonObject): ReadonlyMap<string, Member> {
  const members = new Map(Object.entries(object).map(([name, value]) => [nameKey(name), { name, value }]))
  // RFC 7643 §2.1: names are case-insensitive, so `userName` and `USERNAME` are the same attribute.
  if (members.size < Object.keys(object).length) throw refusal('member_repeated')
  return members
}

/**
 * Requires a message to list its schema (RFC 7644 §3.1).
 * @param members of the message, by `nameKey`.
 * @throws ScimError invalidSyntax — reason `schemas_missing`.
 */
export function requireMessageSchema(
  members: ReadonlyMap<string, Member>,
  urn: string,
  tolerances: ToleranceCounter,
): void {
  const schemas = members.get('schemas')?.value
  if (isArray(schemas) && schemas.some((listed) => typeof listed === 'string' && nameKey(listed) === nameKey(urn)))
    return
  // RFC 7644 §3.1: the body lists the schema of the message.
  if ((schemas !== undefined && schemas !== null) || !tolerances.admits('schemas-missing'))
    throw refusal('schemas_missing')
}
