import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { defineResourceType } from '../schema/resource-type.ts'
import { defineSchema } from '../schema/schema.ts'
import { groupResourceType } from '../schema/group-schema.ts'
import { userResourceType, userSchema } from '../schema/user-schema.ts'
import {
  allTolerances,
  entraTolerances,
  oktaTolerances,
  oneLoginTolerances,
  strictTolerances,
  type Tolerance,
  type Tolerances,
} from '../tolerance/tolerances.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { parseResource } from './parse-resource.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const parseAs = (tolerances: Tolerances, body: unknown, type = userResourceType) =>
  parseResource(body, createParseContext(type, tolerances))
const parse = (members: JsonObject) =>
  parseAs(strictTolerances, { schemas: [core], userName: 'kim', ...members }).resource
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each<[string, JsonObject, JsonObject]>([
  [
    'accepts attribute names in any case (RFC 7643 §2.1)',
    { USERNAME: 'k', Emails: [{ VALUE: 'a', Primary: true }] },
    { userName: 'k', emails: [{ value: 'a', primary: true }] },
  ],
  [
    'treats null and an empty array as absent (RFC 7643 §2.5)',
    { title: null, emails: [], name: { givenName: null }, ims: [{ value: null }], [enterprise]: null, nickName: 'x' },
    { nickName: 'x' },
  ],
  [
    'ignores the attributes that the server assigns (RFC 7643 §3.1)',
    { id: 'x', meta: { created: '1970', resourceType: 'Admin', version: 5 }, groups: [{ value: 'g' }] },
    {},
  ],
  [
    'merges two values with the same value and type (RFC 7643 §2.4)',
    {
      emails: [
        { value: 'a@x', type: 'work' },
        { value: 'A@x', type: 'Work' },
        { value: 'a@x', type: 'home' },
      ],
    },
    {
      emails: [
        { value: 'A@x', type: 'Work' },
        { value: 'a@x', type: 'home' },
      ],
    },
  ],
  [
    'lists an extension in schemas when it has attributes (RFC 7643 §3)',
    { [enterprise]: { department: 'Ops' } },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'does not list an extension without attributes (RFC 7643 §3)',
    { schemas: [core, enterprise], [enterprise]: {} },
    {},
  ],
  [
    'accepts URNs in any case, and repeated URNs (RFC 7644 §3.10)',
    { schemas: [core.toUpperCase(), core], [enterprise.toUpperCase()]: { DEPARTMENT: 'Ops' } },
    { schemas: [core, enterprise], [enterprise]: { department: 'Ops' } },
  ],
  [
    'ignores the URI and the name of the manager, which the server assigns (RFC 7643 §4.3)',
    { [enterprise]: { manager: { value: 'u9', $ref: 'https://evil', displayName: 'x' } } },
    { schemas: [core, enterprise], [enterprise]: { manager: { value: 'u9' } } },
  ],
  [
    'keeps values unchanged, including markup and formulas',
    { title: '=cmd()', displayName: '<script>', emails: [{ value: 'Kim@X.TEST' }] },
    { title: '=cmd()', displayName: '<script>', emails: [{ value: 'Kim@X.TEST' }] },
  ],
  ['keeps an externalId that looks like a number', { externalId: '-1' }, { externalId: '-1' }],
  [
    'accepts line breaks in a postal address',
    { addresses: [{ formatted: '1 Road\nOslo' }] },
    { addresses: [{ formatted: '1 Road\nOslo' }] },
  ],
  [
    'accepts 100 e-mail addresses',
    { emails: Array.from({ length: 100 }, (_, index) => ({ value: `${index}` })) },
    { emails: Array.from({ length: 100 }, (_, index) => ({ value: `${index}` })) },
  ],
  ['accepts a userName of 1024 characters', { userName: 'x'.repeat(1024) }, { userName: 'x'.repeat(1024) }],
])('%s', (_, members, expected) => {
  const body =
    'USERNAME' in members ? { schemas: [core], ...members } : { schemas: [core], userName: 'kim', ...members }
  const { resource, applied } = parseAs(strictTolerances, body)

  expect(plain(resource)).toEqual({ schemas: [core], userName: 'kim', ...expected })
  expect(applied).toEqual([])
})

const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

test.each<[string, unknown, string]>([
  ['the body null', null, '400 invalidSyntax body_malformed'],
  ['the body []', [], '400 invalidSyntax body_malformed'],
  ['the body "x"', 'x', '400 invalidSyntax body_malformed'],
  ['the body 1', 1, '400 invalidSyntax body_malformed'],
  [
    'a body that is nested too deeply',
    { schemas: [core], userName: 'k', x: nested(12) },
    '400 invalidSyntax body_too_deep',
  ],
  ['a body without schemas', { userName: 'k' }, '400 invalidSyntax schemas_missing'],
  ['empty schemas', { schemas: [], userName: 'k' }, '400 invalidSyntax schemas_missing'],
  ['schemas as a string', { schemas: core, userName: 'k' }, '400 invalidSyntax schemas_missing'],
  ['the schema of another resource type', { schemas: [group], userName: 'k' }, '400 invalidSyntax schema_unknown'],
  ['schemas without the core schema', { schemas: [enterprise], userName: 'k' }, '400 invalidSyntax schemas_missing'],
  ['a schema that is not a string', { schemas: [core, 5], userName: 'k' }, '400 invalidSyntax schema_unknown'],
  ['an unknown attribute', { schemas: [core], userName: 'k', isAdmin: true }, '400 invalidSyntax attribute_unknown'],
  [
    'an unknown sub-attribute',
    { schemas: [core], userName: 'k', name: { x: 1 } },
    '400 invalidSyntax attribute_unknown',
  ],
  [
    'an unknown attribute of an extension',
    { schemas: [core], userName: 'k', [enterprise]: { x: 1 } },
    '400 invalidSyntax attribute_unknown',
  ],
  ['a repeated attribute', { schemas: [core], userName: 'k', USERNAME: 'k' }, '400 invalidSyntax member_repeated'],
  [
    'a repeated sub-attribute',
    { schemas: [core], userName: 'k', name: { givenName: 'a', givenname: 'b' } },
    '400 invalidSyntax member_repeated',
  ],
  ['a body without userName', { schemas: [core] }, '400 invalidValue value_required'],
  ['an empty userName', { schemas: [core], userName: '' }, '400 invalidValue value_required'],
  ['a userName that is null', { schemas: [core], userName: null }, '400 invalidValue value_required'],
])('refuses %s (RFC 7644 §3.12)', (_, body, expected) => {
  expect(summarizeRefusal(() => parseAs(strictTolerances, body))).toBe(expected)
})

test.each<[string, JsonObject, string]>([
  ['a blank userName', { userName: '   ' }, 'value_characters'],
  ['a userName of 1025 characters', { userName: 'x'.repeat(1025) }, 'value_too_long'],
  ['a control character', { userName: 'a\u0007b' }, 'value_characters'],
  ['NUL', { title: 'a\0b' }, 'value_characters'],
  ['a bidirectional override', { userName: 'a\u202eb' }, 'value_characters'],
  ['a zero-width space', { userName: 'a\u200bb' }, 'value_characters'],
  ['a ligature', { userName: '\ufb01' }, 'value_characters'],
  ['half a surrogate pair', { displayName: 'a\ud800' }, 'value_characters'],
  ['a line break in an e-mail address', { emails: [{ value: 'a@b\r\nBcc: x' }] }, 'value_characters'],
  ['a displayName of 64 KiB', { displayName: 'x'.repeat(65_536) }, 'value_too_long'],
  ['emails as an object', { emails: { value: 'a' } }, 'value_type'],
  ['emails as a string', { emails: 'a' }, 'value_type'],
  ['101 emails', { emails: Array.from({ length: 101 }, (_, index) => ({ value: `${index}` })) }, 'value_too_many'],
  [
    'two primary values',
    {
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
    'value_primary_twice',
  ],
  [
    'a primary value that is listed twice',
    {
      emails: [
        { value: 'a', primary: true },
        { value: 'a', primary: true },
      ],
    },
    'value_primary_twice',
  ],
  ['a value that is a number', { emails: [{ value: 1 }] }, 'value_type'],
  ['active as a string', { active: 'true' }, 'value_type'],
  ['active as a number', { active: 0 }, 'value_type'],
  ['active as a list', { active: [true] }, 'value_type'],
  ['name as a string', { name: 'Kim' }, 'value_type'],
  ['name as a list', { name: [{ givenName: 'K' }] }, 'value_type'],
  ['an object for a string attribute', { title: { value: 'x' } }, 'value_type'],
  ['a certificate that is not base64', { x509Certificates: [{ value: '%' }] }, 'value_type'],
  ['an extension as a list', { [enterprise]: [] }, 'value_type'],
  ['an extension as a string', { [enterprise]: 'x' }, 'value_type'],
])('refuses %s (RFC 7643 §2.3)', (_, members, reason) => {
  expect(summarizeRefusal(() => parse(members))).toBe(`400 invalidValue ${reason}`)
})

test.each<[string, Tolerances, JsonObject, JsonObject, readonly Tolerance[]]>([
  [
    'nulls, unknown keys and a misspelt URN from Entra',
    entraTolerances,
    {
      schemas: [core, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0User'],
      userName: 'k',
      title: null,
      addresses: null,
      department: 'x',
      manager: 'y',
    },
    { schemas: [core], userName: 'k' },
    ['legacy-urns', 'unknown-attributes'],
  ],
  [
    'attributes under the misspelt URN from Entra',
    entraTolerances,
    {
      schemas: [core],
      userName: 'k',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0User': { department: 'x' },
    },
    { schemas: [core, enterprise], userName: 'k', [enterprise]: { department: 'x' } },
    ['legacy-urns'],
  ],
  [
    'PascalCase names and seven digits of a second from Entra',
    entraTolerances,
    {
      schemas: [core],
      UserName: 'a',
      Active: true,
      Emails: [{ Primary: true, Type: 'work', Value: 'a@x' }],
      meta: { created: '2020-01-01T00:00:00.1234567Z' },
    },
    { schemas: [core], userName: 'a', active: true, emails: [{ primary: true, type: 'work', value: 'a@x' }] },
    [],
  ],
  [
    'booleans as strings from Entra',
    entraTolerances,
    { schemas: [core], userName: 'a', active: 'True', roles: [{ value: 'r', primary: 'True' }] },
    { schemas: [core], userName: 'a', active: true, roles: [{ value: 'r', primary: true }] },
    ['boolean-as-text'],
  ],
  [
    'a password, groups and empty strings from Okta',
    oktaTolerances,
    {
      schemas: [core],
      userName: 'a',
      nickName: '',
      name: { givenName: '', familyName: 'L' },
      groups: [],
      password: 'p',
      active: true,
    },
    { schemas: [core], userName: 'a', name: { familyName: 'L' }, password: 'p', active: true },
    ['empty-text-means-absent'],
  ],
  [
    'a URN of SCIM 1.x, a boolean as a string and a null id from OneLogin',
    oneLoginTolerances,
    { schemas: ['urn:scim:schemas:core:1.0'], userName: 'a', active: 'true', id: null, title: '' },
    { schemas: [core], userName: 'a', active: true },
    ['legacy-urns', 'boolean-as-text', 'empty-text-means-absent'],
  ],
  [
    'a body without schemas from OneLogin',
    oneLoginTolerances,
    { userName: 'a' },
    { schemas: [core], userName: 'a' },
    ['schemas-missing'],
  ],
  [
    'manager as a string',
    allTolerances,
    { schemas: [core], userName: 'a', [enterprise]: { manager: 'u9' } },
    { schemas: [core, enterprise], userName: 'a', [enterprise]: { manager: { value: 'u9' } } },
    ['text-for-complex'],
  ],
  [
    'manager as a list',
    allTolerances,
    { schemas: [core], userName: 'a', [enterprise]: { manager: [{ value: 'u9' }] } },
    { schemas: [core, enterprise], userName: 'a', [enterprise]: { manager: { value: 'u9' } } },
    ['list-around-value'],
  ],
  [
    'one object instead of a list',
    allTolerances,
    { schemas: [core], userName: 'a', emails: { value: 'a@x' } },
    { schemas: [core], userName: 'a', emails: [{ value: 'a@x' }] },
    ['value-without-list'],
  ],
  [
    'an object around a string',
    allTolerances,
    { schemas: [core], userName: 'a', title: { value: 'x' } },
    { schemas: [core], userName: 'a', title: 'x' },
    ['value-around-primitive'],
  ],
])('accepts %s, and counts the tolerances that it needs', (_, tolerances, body, expected, applied) => {
  const result = parseAs(tolerances, body)

  expect(plain(result.resource)).toEqual(expected)
  expect(result.applied.map(({ tolerance }) => tolerance).toSorted()).toEqual(applied.toSorted())
})

test("accepts a group of Entra with one of Microsoft's URNs", () => {
  const body = {
    schemas: [group, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    displayName: 'Ops',
    externalId: 'g',
  }

  const result = parseAs(entraTolerances, body, groupResourceType)

  expect(plain(result.resource)).toEqual({ schemas: [group], displayName: 'Ops', externalId: 'g' })
  expect(result.applied).toEqual([{ tolerance: 'unknown-schemas', count: 1 }])
})

test('parses host attributes by their types, including lists of simple values (RFC 7643 §2.3)', () => {
  const badge = defineSchema({
    id: 'urn:example:params:badge:1.0',
    name: 'Badge',
    attributes: [
      { name: 'number', type: 'integer', required: true },
      { name: 'weight', type: 'decimal' },
      { name: 'issued', type: 'dateTime' },
      { name: 'tags', multiValued: true, maxValues: 3 },
    ],
  })
  const type = defineResourceType({
    name: 'User',
    endpoint: '/Users',
    schema: userSchema,
    extensions: [{ schema: badge, required: true }],
  })
  const read = (members: JsonObject, tolerances: Tolerances = strictTolerances) =>
    plain(
      parseAs(tolerances, { schemas: [core, badge.id], userName: 'k', [badge.id]: { number: 1, ...members } }, type)
        .resource,
    )

  expect(read({ weight: 1.5, issued: '2020-01-01T00:00:00Z', tags: ['a', 'A', 'b'] })).toMatchObject({
    [badge.id]: { number: 1, weight: 1.5, issued: '2020-01-01T00:00:00Z', tags: ['a', 'b'] },
  })
  expect(read({ tags: [{ value: '1' }] }, allTolerances)).toMatchObject({ [badge.id]: { tags: ['1'] } })
  expect(read({ weight: '1.5' }, allTolerances)).toMatchObject({ [badge.id]: { weight: 1.5 } })
  expect(summarizeRefusal(() => read({ number: 1.5 }))).toBe('400 invalidValue value_type')
  expect(summarizeRefusal(() => read({ number: null }))).toBe('400 invalidValue value_required')
  expect(summarizeRefusal(() => read({ number: 2 ** 60 }))).toBe('400 invalidValue value_type')
  expect(summarizeRefusal(() => read({ weight: '1' }))).toBe('400 invalidValue value_type')
  expect(summarizeRefusal(() => read({ issued: 'today' }))).toBe('400 invalidValue value_type')
  expect(summarizeRefusal(() => read({ tags: ['a', 'b', 'c', 'd'] }))).toBe('400 invalidValue value_too_many')
  expect(summarizeRefusal(() => parseAs(strictTolerances, { schemas: [core], userName: 'k' }, type))).toBe(
    '400 invalidValue value_required',
  )
})

test('accepts an attribute named schemas of an extension (RFC 7643 §3.3)', () => {
  const id = 'urn:example:params:scim:schemas:extension:catalog:2.0:User'
  const catalog = defineSchema({ id, name: 'Catalog', attributes: [{ name: 'schemas', multiValued: true }] })
  const type = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [catalog] })

  const { resource } = parseAs(
    strictTolerances,
    { schemas: [core, id], userName: 'kim', [id]: { schemas: [id] } },
    type,
  )

  expect(plain(resource)).toMatchObject({ [id]: { schemas: [id] } })
})

test('refuses an empty string in place of a list unless it is tolerated (RFC 7643 §2.4)', () => {
  const body = { schemas: [core], userName: 'kim', emails: '' }

  expect(summarizeRefusal(() => parseAs(strictTolerances, body))).toBe('400 invalidValue value_type')
  const { applied, resource } = parseAs(new Set<Tolerance>(['empty-text-means-absent']), body)
  expect(resource).not.toHaveProperty('emails')
  expect(applied).toMatchObject([{ tolerance: 'empty-text-means-absent' }])
})
