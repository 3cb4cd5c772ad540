import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { type AttributeOptions, defineAttribute, defineSchema } from './schema.ts'
import { parseAttributeName, printAttributeName } from './find-attribute.ts'
import { defineResourceType } from './resource-type.ts'
import { enterpriseUserSchema, userSchema, userResourceType } from './user-schema.ts'
import { groupSchema } from './group-schema.ts'
import { renderResourceType, renderSchema } from '../discovery/discovery.ts'
import { createToleranceCounter, toleranceProfiles } from '../tolerance/tolerances.ts'
import { readValue } from '../resource/read-value.ts'

test('gives an attribute the defaults of the RFC (RFC 7643 §2.2)', () => {
  expect(defineAttribute({ name: 'x' })).toMatchObject({
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
  })
  expect(defineAttribute({ name: 'x', type: 'reference' }).caseExact).toBe(true)
  expect(defineAttribute({ name: 'x', type: 'binary' }).caseExact).toBe(true)
})

test.each([
  ['binary', 16_384],
  ['reference', 2048],
  ['string', 1024],
] as const)('limits a value of type %s to %d characters by default', (type, maxLength) => {
  expect(defineAttribute({ name: 'x', type }).maxLength).toBe(maxLength)
})

test('keeps the other sub-attributes of a single value when its `value` is empty (RFC 7643 §2.5)', () => {
  const subAttributes = [{ name: 'value' }, { name: 'note' }]
  const badge = defineAttribute({ name: 'badge', type: 'complex', subAttributes })

  expect(readValue(badge, { value: '', note: 'lost' }, createToleranceCounter(toleranceProfiles.all))).toEqual({
    note: 'lost',
  })
})

test('refuses a schema identifier of more than 200 characters', () => {
  const urn = (length: number) => 'urn:example:params:scim:schemas:'.padEnd(length, 'x')
  const define = (id: string) => defineSchema({ id, name: 'X', attributes: [{ name: 'x' }] })

  expect(define(urn(200)).id).toHaveLength(200)
  expect(() => define(urn(201))).toThrow('is not a URN for a schema')
})

test.each<[string, AttributeOptions]>([
  ['an attribute named __proto__', { name: '__proto__' }],
  ['an attribute named constructor', { name: 'constructor' }],
  ['an attribute named like a member of Object.prototype', { name: 'toString' }],
  ['an attribute without a name', { name: '' }],
  ['a name with a dot', { name: 'a.b' }],
  ['a name with a colon', { name: 'a:b' }],
  ['a name that starts with a dollar sign', { name: '$x' }],
  ['a complex attribute without sub-attributes', { name: 'x', type: 'complex' }],
  ['a simple attribute with sub-attributes', { name: 'x', subAttributes: [{ name: 'a' }] }],
  [
    'a complex sub-attribute (erratum 8415)',
    { name: 'x', type: 'complex', subAttributes: [{ name: 'a', type: 'complex', subAttributes: [{ name: 'b' }] }] },
  ],
  [
    'a unique complex attribute (erratum 6004)',
    { name: 'x', type: 'complex', uniqueness: 'server', subAttributes: [{ name: 'a' }] },
  ],
  [
    'two sub-attributes with the same name',
    { name: 'x', type: 'complex', subAttributes: [{ name: 'a' }, { name: 'A' }] },
  ],
  ['a string attribute with reference types', { name: 'x', referenceTypes: ['User'] }],
  ['an indexed number', { name: 'x', type: 'integer', indexed: true }],
  ['an indexed complex attribute', { name: 'x', type: 'complex', indexed: true, subAttributes: [{ name: 'a' }] }],
])('refuses to define %s (RFC 7643 §2)', (_, options) => {
  expect(() => defineAttribute(options)).toThrow(TypeError)
})

test.each(['string', 'reference'] as const)('defines an indexed attribute of the type %s', (type) => {
  expect(defineAttribute({ name: 'x', type, indexed: true })).toMatchObject({ type, indexed: true })
})

test('requires a URN and unique attribute names in a schema (RFC 7643 §2.1)', () => {
  const schema = (id: string, ...names: readonly string[]) =>
    defineSchema({ id, name: 'X', attributes: names.map((name) => ({ name })) })

  expect(() => schema('https://example.com')).toThrow(TypeError)
  expect(() => schema('urn:example:x', 'a', 'A')).toThrow(TypeError)
  expect(() => defineResourceType({ name: 'X', endpoint: '/Xs', schema: schema('urn:example:x', 'id') })).toThrow(
    TypeError,
  )
  expect(() =>
    defineResourceType({ ...userResourceType, extensions: [enterpriseUserSchema, enterpriseUserSchema] }),
  ).toThrow(TypeError)
})

test('freezes definitions', () => {
  expect(
    [
      userSchema,
      userSchema.attributes,
      userSchema.attributes[0],
      userSchema.attributes[1]?.subAttributes,
      userResourceType,
    ].every(Object.isFrozen),
  ).toBe(true)
})

test.each([
  ['userName', undefined, 'userName', undefined],
  ['name.familyName', undefined, 'name', 'familyName'],
  ['manager.$ref', undefined, 'manager', '$ref'],
  [
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
    'manager',
    'value',
  ],
  ['urn:example:badge:1.0:number', 'urn:example:badge:1.0', 'number', undefined],
])('parses the attribute name %s and prints it again (RFC 7644 §3.10)', (text, urn, name, subName) => {
  expect(parseAttributeName(text)).toEqual({ urn, name, subName })
  expect(printAttributeName({ urn, name, subName })).toBe(text)
})

test.each([
  '',
  '.',
  'a.',
  '.a',
  'a.b.c',
  '1a',
  'a b',
  '_a',
  '__proto__',
  'a.__proto__',
  'é',
  'a:b',
  'urn::',
  'urn:a:',
  'a/b',
  'a[0]',
  'urn:a b:c',
])('%j is not an attribute name (RFC 7643 §2.1)', (text) => {
  expect(parseAttributeName(text)).toBeUndefined()
})

test('publishes the schemas that it implements (RFC 7643 §8.7)', () => {
  const user = renderSchema(userSchema)
  const attributes = user['attributes'] as readonly JsonObject[]

  expect(attributes.find(({ name }) => name === 'userName')).toEqual({
    name: 'userName',
    type: 'string',
    multiValued: false,
    description: 'The name that identifies the user to the service. Unique within the identity provider.',
    required: true,
    caseExact: false,
    uniqueness: 'server',
    mutability: 'readWrite',
    returned: 'default',
  })
  expect(attributes.find(({ name }) => name === 'password')).toMatchObject({
    mutability: 'writeOnly',
    returned: 'never',
  })
  expect(attributes.map(({ name }) => name)).toEqual(userSchema.attributes.map(({ name }) => name))
  expect(JSON.stringify([user, renderSchema(groupSchema), renderSchema(enterpriseUserSchema)])).not.toMatch(
    /null|maxLength|characters":/,
  )
  expect(renderResourceType(userResourceType)).toMatchObject({
    id: 'User',
    schemaExtensions: [{ schema: enterpriseUserSchema.id, required: false }],
  })
})
