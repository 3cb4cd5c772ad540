import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import * as z from 'zod'

/** Seconds since 1970-01-01T00:00:00Z. */
export const seconds = z.int().min(0).max(253_402_300_799)

export const version = z.int().min(1)

export const identifier = z.string().min(1).max(1024)

export const strings = (maxLength: number, maxItems = 100) => z.array(z.string().min(1).max(maxLength)).max(maxItems)

/** Any object. It is not copied, because a copy would silently drop members such as `__proto__`. */
export const anyObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object', additionalProperties: true })

/** Makes the members of a shape optional. */
export const optionalMembers = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, z.exactOptional(member)])) as {
    readonly [Name in keyof Shape]: z.ZodExactOptional<Shape[Name]>
  }

/** The query members that select a page of a list: `after` is the `next` of the previous page. */
export const pageMembers = {
  after: z.string().min(1).max(1100).exactOptional(),
  limit: z
    .string()
    .regex(/^[0-9]{1,3}$/)
    .transform(Number)
    .exactOptional(),
}

export const pageQuery = z.strictObject(pageMembers)

/** For routes without a query. */
export const emptyQuery = z.strictObject({})

/** Returns the schema of a page of a list. */
export const pageAnswer = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), next: z.string().exactOptional() })

/** A page of a log, newest entry first. */
export const logAnswer = pageAnswer(
  z.strictObject({ entry_id: z.string(), at: seconds, type: z.string(), detail: anyObject }),
)

export const secretAnswer = z.strictObject({
  created_at: seconds,
  expires_at: seconds.exactOptional(),
  last_used_at: seconds.exactOptional(),
})

export const addSecretBody = z.strictObject({ previous_expires_at: seconds.exactOptional() })

/** Converts the name `client_name` to `clientName`. */
type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name

/** An object whose member names are converted. The names in nested objects are not. */
export type FromWire<Wire> = { readonly [Member in keyof Wire as CamelName<Member>]: Wire[Member] }

/** Converts the member names of a message, but not the names in nested objects. Its schema has checked the names. */
export const fromWire = <Wire extends object>(message: Wire): FromWire<Wire> =>
  Object.fromEntries<unknown>(
    Object.entries(message).map(([name, value]: [string, unknown]) => [camelName(name), value]),
  ) as FromWire<Wire>

/**
 * Converts a value to JSON: names become snake_case, and undefined members are left out. The contents of members that
 * others define, such as claims, are not converted.
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
  membersWithOwnNames.has(name) ? (member as JsonValue) : toWire(member)

const camelName = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Converts the name `clientName` to `client_name`. */
export const snakeName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Members with names inside that others have chosen. */
const membersWithOwnNames: ReadonlySet<string> = new Set([
  'claims',
  'customFields',
  'jwks',
  'fields',
  'crossAppAudiences',
  // A SCIM message.
  'body',
])
