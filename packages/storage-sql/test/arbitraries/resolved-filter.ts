import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, SortKey } from '@mintmark/storage-interface/stores'
import fc from 'fast-check'
import { aNumber, aString, extension } from './comparable-resource.ts'

/** Strings that may be the identifier, name or address of a resource. */
export interface KnownTexts {
  readonly texts: readonly string[]
  /** The attribute of memberships, and its sub-attributes. */
  readonly memberships: { readonly attribute: string; readonly parts: readonly string[] }
}

/** A filter on the attributes of `aComparable`, and on attributes that the store adds. */
export function aResolvedFilter(known: KnownTexts): fc.Arbitrary<ResolvedFilter> {
  const someText = fc.oneof(
    { weight: 3, arbitrary: aString() },
    { weight: 1, arbitrary: fc.constantFrom(...known.texts) },
  )
  const ofResource = aTest(fc.constantFrom(...plain), someText)
  const ofValue = aTest(fc.constantFrom(...['value', 'type', 'primary', 'x'].map((name) => attribute(name))), someText)
  const ofMembership = aTest(fc.constantFrom(...known.memberships.parts.map((name) => attribute(name))), someText)
  const element = fc.oneof(
    elementOf(fc.constantFrom('emails', 'phoneNumbers', 'thing', 'tags', 'nothing'), nested(ofValue, 2)),
    elementOf(fc.constant(known.memberships.attribute), nested(ofMembership, 1)),
  )
  // The filters that identity providers send, which have indexes.
  const lookup = fc.oneof(
    equality(fc.constantFrom('id', 'externalId', 'userName', 'displayName'), fc.constantFrom(...known.texts)),
    elementOf(fc.constant('emails'), nested(equality(fc.constantFrom('value', 'type'), aString()), 1)),
    elementOf(
      fc.constant(known.memberships.attribute),
      equality(fc.constant('value'), fc.constantFrom(...known.texts)),
    ),
  )
  return nested(
    fc.oneof({ weight: 4, arbitrary: ofResource }, { weight: 2, arbitrary: element }, { weight: 2, arbitrary: lookup }),
    3,
  )
}

/** A sort key whose attribute has values of one type only. */
export const aSortKey = (): fc.Arbitrary<SortKey> => {
  const single = [
    'title',
    'displayName',
    'userName',
    'meta.lastModified',
    'level',
    'member',
    'name.familyName',
    'id',
    'externalId',
    'active',
    'meta.created',
    'unknown',
  ].map((path) => attribute(path))
  const others = [attribute('department', extension), attribute('manager.value', extension), several('tags')]
  const parts = [several('emails'), several('phoneNumbers')].flatMap((list) =>
    ['value', 'type'].map((elementPart) => ({ attribute: list, elementPart })),
  )
  return fc
    .record({
      by: fc.constantFrom(...[...single, ...others].map((by) => ({ attribute: by, elementPart: undefined })), ...parts),
      direction: fc.constantFrom('ascending' as const, 'descending' as const),
    })
    .map(({ by, direction }) => ({ ...by, direction }))
}

function aTest(about: fc.Arbitrary<FilterAttribute>, someText: fc.Arbitrary<string>): fc.Arbitrary<ResolvedFilter> {
  const order = fc.constantFrom(
    'eq' as const,
    'ne' as const,
    'gt' as const,
    'ge' as const,
    'lt' as const,
    'le' as const,
  )
  const part = fc.constantFrom('co' as const, 'sw' as const, 'ew' as const)
  const ofBoolean = fc.constantFrom('eq' as const, 'ne' as const)
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('text' as const),
        attribute: about,
        operator: fc.oneof(order, part),
        value: someText,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('number' as const),
        attribute: about,
        operator: order,
        value: aNumber(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('boolean' as const),
        attribute: about,
        operator: ofBoolean,
        value: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('present' as const), attribute: fc.oneof(about, meta) }) },
  )
}

const equality = (name: fc.Arbitrary<string>, text: fc.Arbitrary<string>): fc.Arbitrary<ResolvedFilter> =>
  fc.record({
    kind: fc.constant('text' as const),
    attribute: name.map((each) => attribute(each)),
    operator: fc.constant('eq' as const),
    value: text,
  })

const elementOf = (name: fc.Arbitrary<string>, where: fc.Arbitrary<ResolvedFilter>): fc.Arbitrary<ResolvedFilter> =>
  fc.record({ kind: fc.constant('element' as const), attribute: name.map((each) => several(each)), where })

function nested(leaf: fc.Arbitrary<ResolvedFilter>, depth: number): fc.Arbitrary<ResolvedFilter> {
  if (depth === 0) return leaf
  const inner = nested(leaf, depth - 1)
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(inner, { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), operand: inner }) },
  )
}

function attribute(path: string, urn?: string): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension: urn, name, subName, multiValued: false }
}

const several = (name: string): FilterAttribute => ({ ...attribute(name), multiValued: true })

/** Every resource has the first attribute. A filter can only test whether a complex attribute is present. */
const meta = fc.constantFrom(attribute('meta'), attribute('meta.unknown'), attribute('meta', extension))

/** Strings are listed twice, because they have the most operators. */
const plain: readonly FilterAttribute[] = [
  ...['title', 'name.familyName'].map((path) => attribute(path)),
  ...['tags'].map(several),
  ...['title', 'level', 'member', 'name.familyName', 'name', 'thing', 'thing.value', 'userName', 'displayName'].map(
    (path) => attribute(path),
  ),
  ...['id', 'externalId', 'active', 'meta.created', 'meta.lastModified', 'unknown', 'unknown.part'].map((path) =>
    attribute(path),
  ),
  ...['department', 'manager.value', 'manager', 'title'].map((path) => attribute(path, extension)),
  ...['tags', 'emails', 'thing'].map(several),
]
