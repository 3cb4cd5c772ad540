import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { nameKey } from './text.ts'

/**
 * Creates an object that inherits no members, so `__proto__` is an ordinary member. The last of several members with the same
 * name wins, and `undefined` removes a member.
 */
export function toObject(members: Iterable<readonly [name: string, value: JsonValue | undefined]>): JsonObject {
  const object = Object.create(emptyPrototype) as Record<string, JsonValue>
  for (const [name, value] of members) {
    if (value !== undefined) object[name] = value
    // V8 handles a deletion slowly, even of a member that is absent.
    else if (Object.hasOwn(object, name)) delete object[name]
  }
  return object
}

/** Returns an own member of an object, never an inherited one. */
export function getMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Returns a member if it is a non-empty string, otherwise undefined. */
export function getText(object: JsonObject, name: string): string | undefined {
  const value = getMember(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a copy with one member set, or without the member when the value is `undefined`. */
export const withMember = (object: JsonObject, name: string, value: JsonValue | undefined): JsonObject =>
  withMembers(object, { [name]: value })

/** Returns a copy with some members set, or left out when their value is `undefined`. */
export function withMembers(object: JsonObject, members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  // V8 copies an object faster at once than member by member.
  const copy = Object.assign(Object.create(emptyPrototype) as Record<string, JsonValue>, object)
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (value !== undefined) copy[name] = value
    else if (Object.hasOwn(copy, name)) delete copy[name]
  }
  return copy
}

/** Returns whether a value is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is a JSON array. */
export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/**
 * The prototype of the objects that `toObject` creates. It is empty. It is used instead of `null` because V8 stores an
 * object without a prototype as a hash table, which takes twice as long to copy and to serialize.
 */
const emptyPrototype = Object.freeze(Object.create(null) as object)

/**
 * Returns whether two JSON values are equal, ignoring the order of members. The recursion cannot overflow the stack,
 * because values are no deeper than the schemas.
 */
export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isArray(one))
    return isArray(other) && one.length === other.length && one.every((item, index) => sameValue(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => sameValue(getMember(one, name), getMember(other, name)))
  )
}

/** Like `sameValue`, but in pieces, because a group may have a hundred thousand members. */
export function* sameValueInPieces(one: JsonValue | undefined, other: JsonValue | undefined): Pieces<boolean> {
  if (one === other) return true
  if (isArray(one)) {
    if (!isArray(other) || one.length !== other.length) return false
    for (const [index, item] of one.entries()) {
      if (!sameValue(item, other[index])) return false
      if (index % elementsInPiece === elementsInPiece - 1) yield
    }
    return true
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  for (const name of names) {
    if (!(yield* sameValueInPieces(getMember(one, name), getMember(other, name)))) return false
  }
  return true
}

const elementsInPiece = 100

/** Deeper than any valid message: message, operations, operation, value, extension, values, value, sub-attribute, its values. */
const maximumDepth = 10

/** Like `parseJsonObjectInPieces`, but at once. */
export const parseJsonObject = (body: unknown): JsonObject => runAtOnce(parseJsonObjectInPieces(body))

/**
 * Requires a parsed body to be a JSON object of limited depth. Iterative, so that depth uses no stack.
 * @throws ScimError invalidSyntax — reason `body_malformed` | `body_too_deep`.
 */
export function* parseJsonObjectInPieces(body: unknown): Pieces<JsonObject> {
  // RFC 7644 §3.12 invalidSyntax: a SCIM message is a JSON object.
  if (!isObject(body)) throw refuse('body_malformed')

  let level: JsonContainer[] = [body]
  let read = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    // RFC 7644 §3.12 invalidSyntax: no schema has complex attributes inside complex ones (RFC 7643 §2.3.8).
    if (depth > maximumDepth) throw refuse('body_too_deep')
    const next: JsonContainer[] = []
    // Pauses within a level too, because a megabyte of JSON has hundreds of thousands of containers.
    for (const container of level) {
      const added = addContainers(container, next)
      read += 1 + added
      if (read < valuesInPiece) continue
      read = 0
      yield
    }
    level = next
  }
  return body
}

const valuesInPiece = 1000

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
 * Returns the members of an object in a map. The keys are the results of `nameKey` for the names.
 * @throws ScimError invalidSyntax — reason `member_repeated`.
 */
export function membersByName(object: JsonObject): ReadonlyMap<string, Member> {
  const members = new Map(Object.entries(object).map(([name, value]) => [nameKey(name), { name, value }]))
  // RFC 7643 §2.1: names are case-insensitive, so `userName` and `USERNAME` are the same attribute.
  if (members.size < Object.keys(object).length) throw refuse('member_repeated')
  return members
}

/**
 * Requires a message to list its schema (RFC 7644 §3.1).
 * @param members the members of the message, from `membersByName`.
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
  const isOther =
    isArray(schemas) && schemas.some((listed) => typeof listed !== 'string' || nameKey(listed).startsWith(messageUrns))
  // RFC 7644 §3.1: the body lists the schema of the message. Some clients list none, or that of the resource.
  if (isOther || ((schemas ?? undefined) !== undefined && !isArray(schemas)) || !tolerances.admits('schemas-missing'))
    throw refuse('schemas_missing')
}

const messageUrns = 'urn:ietf:params:scim:api:messages:'
