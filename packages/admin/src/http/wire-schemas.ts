import type { JsonObject } from '@mintmark/storage-interface'
import * as z from 'zod'

/** Seconds since 1970-01-01T00:00:00Z. */
export const seconds = z.int().min(0).max(253_402_300_799)

export const version = z.int().min(1)

export const identifier = z.string().min(1).max(1024)

export const texts = (longest: number, most = 100) => z.array(z.string().min(1).max(longest)).max(most)

/** An object that is not copied: a copy would silently drop members such as `__proto__`. */
export const anyObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object', additionalProperties: true })

/** Makes the members of a shape optional. */
export const optionally = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, z.exactOptional(member)])) as {
    readonly [Name in keyof Shape]: z.ZodExactOptional<Shape[Name]>
  }

/** Selects a part of a list: `after` is the `next` of the previous page. */
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

/** A page of a list. */
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
