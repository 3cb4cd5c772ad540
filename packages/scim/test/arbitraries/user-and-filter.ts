import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'

import { anOperator } from './filter-text.ts'

/** The URN of the enterprise extension. */
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Generates one of few strings, so that filters find something. */
const aString = (): fc.Arbitrary<string> =>
  fc.constantFrom('a', 'A', 'b', 'ab', 'Ab', 'é', 'E\u0301', 'work', 'ＡＢ', '')

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })

const anInstant = (): fc.Arbitrary<string> =>
  fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T01:00:00+01:00', '2020-01-01T00:00:00.5Z', '2021-01-01T00:00:00Z')

/** Generates a stored user with few different values, so that filters find something. */
export function aStoredUser(): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      schemas: fc.constant(['urn:ietf:params:scim:schemas:core:2.0:User']),
      id: fc.constantFrom('a', 'A', 'b'),
      externalId: optional(aString()),
      userName: aString(),
      name: optional(fc.record({ familyName: optional(aString()), givenName: optional(aString()) })),
      active: optional(fc.boolean()),
      emails: optional(
        fc.array(
          fc.record({ value: optional(aString()), type: optional(aString()), primary: optional(fc.boolean()) }),
          {
            maxLength: 3,
          },
        ),
      ),
      meta: fc.record({ created: anInstant() }),
      [enterprise]: optional(fc.record({ department: optional(aString()) })),
    })
    .map((user) => JSON.parse(JSON.stringify(user)) as JsonObject)
}

/** A filter as data that a naive evaluator can evaluate and `printPlain` can print. */
export type PlainFilter =
  | { readonly and: readonly PlainFilter[] }
  | { readonly or: readonly PlainFilter[] }
  | { readonly not: PlainFilter }
  | { readonly in: string; readonly where: PlainFilter }
  | {
      readonly path: readonly string[]
      readonly type: PlainType
      readonly operator: string
      readonly value?: JsonValue
    }

/** How the values of an attribute are compared. */
export type PlainType = 'folded' | 'exact' | 'boolean' | 'instant'

/** Generates filters on the attributes of `aStoredUser`. */
export function aUserFilter(): fc.Arbitrary<PlainFilter> {
  const inEmails = nested(
    fc.oneof(aTest(['value'], 'folded'), aTest(['type'], 'folded'), aTest(['primary'], 'boolean')),
    1,
  )
  return nested(
    fc.oneof(
      aTest(['userName'], 'folded'),
      aTest(['id'], 'exact'),
      aTest(['externalId'], 'exact'),
      aTest(['name', 'familyName'], 'folded'),
      aTest(['active'], 'boolean'),
      aTest(['emails', 'value'], 'folded'),
      aTest(['emails', 'type'], 'folded'),
      aTest(['emails', 'primary'], 'boolean'),
      aTest(['meta', 'created'], 'instant'),
      aTest([enterprise, 'department'], 'folded'),
      fc
        .constantFrom('emails', 'name', 'title')
        .map((name) => ({ path: [name], type: 'folded' as const, operator: 'pr' })),
      inEmails.map((where) => ({ in: 'emails', where })),
    ),
    2,
  )
}

/** Prints a filter in the syntax of RFC 7644 §3.4.2.2. */
export function printPlain(filter: PlainFilter): string {
  if ('and' in filter) return filter.and.map((operand) => `(${printPlain(operand)})`).join(' and ')
  if ('or' in filter) return filter.or.map((operand) => `(${printPlain(operand)})`).join(' or ')
  if ('not' in filter) return `not (${printPlain(filter.not)})`
  if ('in' in filter) return `${filter.in}[${printPlain(filter.where)}]`
  const [first = '', second] = filter.path
  const name = second === undefined ? first : `${first}${first.startsWith('urn:') ? ':' : '.'}${second}`
  return `${name} ${filter.operator}${filter.operator === 'pr' ? '' : ` ${JSON.stringify(filter.value)}`}`
}

function aTest(path: readonly string[], type: PlainType): fc.Arbitrary<PlainFilter> {
  const operator =
    type === 'boolean'
      ? fc.constantFrom('eq', 'ne')
      : anOperator().filter((name) => type !== 'instant' || !['co', 'sw', 'ew'].includes(name))
  const values = { folded: aString(), exact: aString(), boolean: fc.boolean(), instant: anInstant() }
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ path: fc.constant(path), type: fc.constant(type), operator, value: values[type] }),
    },
    { weight: 1, arbitrary: fc.constant({ path, type, operator: 'pr' }) },
    { weight: 1, arbitrary: fc.constantFrom('eq', 'ne').map((name) => ({ path, type, operator: name, value: null })) },
  )
}

function nested(leaf: fc.Arbitrary<PlainFilter>, depth: number): fc.Arbitrary<PlainFilter> {
  if (depth === 0) return leaf
  const inner = nested(leaf, depth - 1)
  const operands = fc.array(inner, { minLength: 2, maxLength: 3 })
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: operands.map((and) => ({ and })) },
    { weight: 1, arbitrary: operands.map((or) => ({ or })) },
    { weight: 1, arbitrary: inner.map((not) => ({ not })) },
  )
}
