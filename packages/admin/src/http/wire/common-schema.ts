import type { JsonObject } from '@mintmark/storage-interface'
import * as z from 'zod'

/** Seconds since 1970-01-01T00:00:00Z. */
export const seconds = z.int().min(0).max(253_402_300_799)

export const version = z.int().min(1)

export const identifier = z.string().min(1).max(1024)

export const texts = (longest: number, most = 100) => z.array(z.string().min(1).max(longest)).max(most)

/** An object that is taken as it is: a copy would lose members with odd names instead of refusing them. */
export const anyObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object', additionalProperties: true })

/** Members that may be left out. */
export const optionally = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, z.exactOptional(member)])) as {
    readonly [Name in keyof Shape]: z.ZodExactOptional<Shape[Name]>
  }

/** Which part of a list: `after` is the `next` of the page before. */
const pageMembers = {
  after: z.string().min(1).max(1100).exactOptional(),
  limit: z
    .string()
    .regex(/^[0-9]{1,3}$/)
    .transform(Number)
    .exactOptional(),
}

export const pageQuery = z.strictObject(pageMembers)

export const accountQuery = z.strictObject({ ...pageMembers, filter: z.string().max(4096).exactOptional() })

/** A page on the wire. */
export const pageAnswer = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), next: z.string().exactOptional() })

export const secretAnswer = z.strictObject({
  created_at: seconds,
  expires_at: seconds.exactOptional(),
  last_used_at: seconds.exactOptional(),
})

export const addSecretBody = z.strictObject({ previous_expires_at: seconds.exactOptional() })

/** Of what has no query. */
export const emptyQuery = z.strictObject({})
