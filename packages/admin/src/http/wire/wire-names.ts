import type { JsonValue } from '@mintmark/storage-interface'

/** `clientName` for `client_name`. */
type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name

/** An object with its own members named as we name them inside. */
export type FromWire<Wire> = { readonly [Member in keyof Wire as CamelName<Member>]: Wire[Member] }

/**
 * A message in our own names: the members of the message itself, and nothing below them. Its names are those of its
 * schema.
 */
export const fromWire = <Wire extends object>(message: Wire): FromWire<Wire> =>
  Object.fromEntries<unknown>(
    Object.entries(message).map(([name, value]: [string, unknown]) => [camelName(name), value]),
  ) as FromWire<Wire>

/**
 * A value of ours as it is sent: names in snake_case, without what is undefined. What others named stays as they named
 * it.
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

const snakeName = (name: string): string =>
  wireNames.get(name) ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Members whose name on the wire is not the snake case of ours. */
const wireNames: ReadonlyMap<string, string> = new Map([
  ['deprovisioning', 'offboarding'],
  ['suspendedAt', 'held_at'],
])

const namedByOthers: ReadonlySet<string> = new Set(['claims', 'customFields', 'jwks', 'fields'])
