import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'

/** The URN of an extension. */
export const extension = 'urn:example:params:scim:extension:2.0:User'

/** A string. Most come from a small set, so that filters find something. Some have a meaning in SQL, LIKE or JSON. */
export const aString = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'ab', 'ba', 'aba') },
    { weight: 2, arbitrary: fc.constantFrom('', 'A', 'work', 'é', 'e\u0301', '😀', '\uFFFD', '漢', longText) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '_', 'a%', '\\', '"', "'", '"a"', '{', '[]', '$.a', 'null', 'true', '1', '\t'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replaceAll('\0', '')) },
  )

/** Longer than the values that an index keeps. */
const longText = 'a'.repeat(250)

export const aNumber = (): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(0, 1, -1, 1.5, 10, 9, 0.1, 1e-7, 1e21, 9_007_199_254_740_991, 1_800_000_000_000),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  )

/** The comparable form of a user or a group, without the names that identify it. */
export const aComparable = (): fc.Arbitrary<JsonObject> =>
  fc
    .record(
      {
        title: aString(),
        displayName: aString(),
        level: aNumber(),
        member: fc.boolean(),
        tags: fc.array(aString(), { maxLength: 3 }),
        name: fc.record({ familyName: aString(), givenName: aString() }, { requiredKeys: [] }),
        emails: fc.array(anEmail(), { maxLength: 3 }),
        phoneNumbers: fc.array(anEmail(), { maxLength: 2 }),
        [extension]: fc.record(
          { department: aString(), manager: fc.record({ value: aString() }) },
          { requiredKeys: [] },
        ),
        thing: anyJson(),
      },
      { requiredKeys: [] },
    )
    .map((resource) => JSON.parse(JSON.stringify(resource)) as JsonObject)

const anEmail = (): fc.Arbitrary<JsonObject> =>
  fc.record({ value: aString(), type: fc.constantFrom('work', 'home'), primary: fc.boolean() }, { requiredKeys: [] })

/** JSON that no schema would allow. */
const anyJson = (): fc.Arbitrary<JsonValue> => {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      aNumber(),
      aString(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('value', 'type', 'x'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  return value
}
