import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { nameKey } from '../schema/schema.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { isArray, isObject } from './json.ts'

/** Deeper than any valid message: message, operations, operation, value, extension, values, value, sub-attribute, its values. */
const maximumDepth = 10

/** More than the largest group in one message: about as many as a megabyte of JSON can contain. */
const maximumValues = 500_000

/**
 * Requires a parsed body to be a JSON object of limited depth and size. Iterative, so that depth uses no stack.
 * @throws ScimError invalidSyntax — reason `body_malformed` | `body_too_deep`; 413 — reason `body_too_large`.
 */
export function parseJsonObject(body: unknown): JsonObject {
  // RFC 7644 §3.12 invalidSyntax: a SCIM message is a JSON object.
  if (!isObject(body)) throw refusal('body_malformed')

  let level: readonly JsonContainer[] = [body]
  let values = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    // RFC 7644 §3.12 invalidSyntax: no schema has complex attributes inside complex ones (RFC 7643 §2.3.8).
    if (depth > maximumDepth) throw refusal('body_too_deep')
    const members = level.map(membersOf)
    values = members.reduce((sum, { length }) => sum + length, values)
    // RFC 9110 §15.5.14: refused before it is processed.
    if (values > maximumValues) throw refusal('body_too_large')
    level = members.flatMap((container) => container.filter(isContainer))
  }
  return body
}

type JsonContainer = JsonObject | readonly JsonValue[]

const isContainer = (value: JsonValue): value is JsonContainer => typeof value === 'object' && value !== null

const membersOf = (container: JsonContainer): readonly JsonValue[] =>
  isArray(container) ? container : Object.values(container)

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
