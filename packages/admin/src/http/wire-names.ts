import type { JsonValue } from '@mintmark/storage-interface'

/** Converts the name `client_name` to `clientName`. */
type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name

/** An object with the names of its own members converted. */
export type FromWire<Wire> = { readonly [Member in keyof Wire as CamelName<Member>]: Wire[Member] }

/** Converts the names of a message's own members, but not those of nested objects. Its schema has checked the names. */
export const fromWire = <Wire extends object>(message: Wire): FromWire<Wire> =>
  Object.fromEntries<unknown>(
    Object.entries(message).map(([name, value]: [string, unknown]) => [camelName(name), value]),
  ) as FromWire<Wire>

/**
 * Converts a value of ours to JSON: names become snake_case, and undefined members are left out. The contents of members
 * that others define, such as claims, are not converted.
 */
export function toWire(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.map(([name, member]: [string, unknown]) => [snakeName(name), memberToWire(name, member)]),
  )
}

const memberToWire = (name: string, member: unknown): JsonValue =>
  namedByOthers.has(name) ? (member as JsonValue) : toWire(member)

const camelName = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Converts the name `clientName` to `client_name`. */
export const snakeName = (name: string): string =>
  wireNames.get(name) ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Members whose name on the wire differs from ours. */
const wireNames: ReadonlyMap<string, string> = new Map([
  ['deprovisioning', 'offboarding'],
  ['suspendedAt', 'held_at'],
])

const namedByOthers: ReadonlySet<string> = new Set(['claims', 'customFields', 'jwks', 'fields'])
