import type { JsonObject } from '@mintmark/storage-interface'
import fc from 'fast-check'

import type { AttributeOptions } from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import type { Returned } from '../../src/schema/schema.ts'
import { enterprise } from './user-and-filter.ts'

/** The URN of an extension that the host defines. */
export const badgeUrn = 'urn:example:params:scim:schemas:extension:badge:2.0:User'

/**
 * Generates the attributes of an extension that a host may define: some of three, in any order, each with any `returned`. An empty
 * list means that there is no extension.
 */
export function aBadgeSchema(): fc.Arbitrary<readonly AttributeOptions[]> {
  const returned = fc.constantFrom<Returned>('default', 'always', 'request', 'never')
  const attribute = (name: string): fc.Arbitrary<AttributeOptions> =>
    returned.map((value) => ({ name, returned: value }))
  const door = fc
    .tuple(returned, fc.uniqueArray(fc.constantFrom('value', 'display', 'type'), { minLength: 1 }))
    .map(([value, parts]) => ({
      name: 'doors',
      type: 'complex' as const,
      multiValued: true,
      returned: value,
      subAttributes: parts.map((name) => ({ name })),
    }))
  return fc
    .tuple(attribute('number'), attribute('colour'), door)
    .chain((attributes) => fc.shuffledSubarray<AttributeOptions>([...attributes]))
}

/** Generates the body of a POST or PUT, with members in any order and any valid strings. */
export function aUserBody(): fc.Arbitrary<JsonObject> {
  const text = fc
    .oneof(fc.constantFrom('"', '\\', '{}', '},{"id":"x"', '😀'), fc.string({ minLength: 1, maxLength: 8 }))
    .map((value) => `t${value}t`)
  const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(arbitrary, { nil: undefined })
  return fc
    .record({
      externalId: fc.constantFrom('e1', undefined),
      active: optional(fc.boolean()),
      name: optional(fc.record({ givenName: optional(text), familyName: optional(text) })),
      emails: optional(
        fc.uniqueArray(fc.record({ value: text, type: optional(text) }), {
          maxLength: 3,
          selector: ({ value }) => value,
        }),
      ),
      displayName: optional(text),
      [enterprise]: optional(fc.record({ department: optional(text), manager: optional(fc.record({ value: text })) })),
      [badgeUrn]: optional(
        fc.record({
          number: optional(text),
          colour: optional(text),
          doors: optional(
            fc.array(fc.record({ value: optional(text), display: optional(text), type: text }), { maxLength: 2 }),
          ),
        }),
      ),
    })
    .chain((body) => fc.shuffledSubarray(Object.entries(body), { minLength: 7 }))
    .map((members) => ({
      schemas: [userSchema.id],
      userName: 'kim',
      ...(JSON.parse(JSON.stringify(Object.fromEntries(members))) as JsonObject),
    }))
}
