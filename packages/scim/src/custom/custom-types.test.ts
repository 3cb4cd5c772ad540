import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import {
  createScimServer,
  defineResourceType,
  defineSchema,
  groupResourceType,
  oktaEntitlementResourceType,
  oktaRoleResourceType,
  userResourceType,
} from '../index.ts'
import { enterpriseUserSchema, userSchema } from '../schema/user-schema.ts'

const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const start = (...resourceTypes: NonNullable<Parameters<typeof createScimServer>[0]['resourceTypes']>) =>
  createScimServer({ issuer, storage, resourceTypes })

const schemaOf = (id: string, attributes = [{ name: 'displayName' }]) => defineSchema({ id, name: 'Thing', attributes })
const thing = schemaOf('urn:example:Thing')
const typeOf = (name: string, endpoint: string, schema = thing) => defineResourceType({ name, endpoint, schema })

test('accepts types that share a schema, as the types of Okta do', () => {
  const license = typeOf('License', '/Licenses', oktaEntitlementResourceType.schema)

  expect(() => start(license, oktaEntitlementResourceType, typeOf('A1-b_c', '/A1-b_c'))).not.toThrow()
  expect(() => start({ resourceType: license, resources: [] }, oktaEntitlementResourceType)).not.toThrow()
})

test.each([
  '/Users',
  '/users',
  '/GROUPS',
  '/Me',
  '/me',
  '/Bulk',
  '/Schemas',
  '/ResourceTypes',
  '/ServiceProviderConfig',
  '/.search',
  '/',
  '',
  'Things',
  '/Things/',
  '/Things/Small',
  '/Th ings',
  '/%54hings',
  '/Thingß',
  '/__proto__',
  '/..',
  '/7',
  `/${'T'.repeat(65)}`,
])('refuses the endpoint %j (RFC 7644 §3.2)', (endpoint) => {
  expect(() => start(typeOf('Thing', endpoint))).toThrow(TypeError)
})

test.each(['User', 'user', 'GROUP', 'Schema', 'ResourceType', 'ServiceProviderConfig', '', '__proto__', 'a b', 'a"b'])(
  'refuses the name %j',
  (name) => {
    expect(() => start(typeOf(name, '/Things'))).toThrow(TypeError)
  },
)

test('refuses two types with the same name or endpoint, in any case', () => {
  expect(() => start(typeOf('Thing', '/Things'), typeOf('THING', '/Others'))).toThrow(
    'Two resource types have the name',
  )
  expect(() => start(typeOf('Thing', '/Things'), typeOf('Other', '/things'))).toThrow('have the endpoint /things')
  expect(() => start(userResourceType)).toThrow(TypeError)
  expect(() => start({ resourceType: groupResourceType, resources: [] })).toThrow(TypeError)
})

test.each([
  ['another type', 'urn:example:thing'],
  ['users', 'URN:ietf:params:scim:schemas:core:2.0:user'],
  ['an extension of users', enterpriseUserSchema.id],
  ['a discovery resource', 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  ['a message', 'urn:ietf:params:scim:api:messages:2.0:Error'],
])('refuses a schema with the URN of %s (RFC 7643 §7)', (_, urn) => {
  expect(() => start(typeOf('Thing', '/Things'), typeOf('Other', '/Others', schemaOf(urn)))).toThrow(TypeError)
})

test('accepts the schema of users for another type', () => {
  expect(() => start(typeOf('Contact', '/Contacts', userSchema))).not.toThrow()
})

test('refuses a reference to an unknown type, and to several without a sub-attribute type (RFC 7643 §2.4)', () => {
  const referring = (referenceTypes: readonly string[], more: readonly { readonly name: string }[] = []) => {
    const $ref = { name: '$ref', type: 'reference', referenceTypes } as const
    const owner = { name: 'owner', type: 'complex', subAttributes: [{ name: 'value' }, $ref, ...more] } as const
    return typeOf('Thing', '/Things', defineSchema({ id: 'urn:example:Owned', name: 'Owned', attributes: [owner] }))
  }

  expect(() => start(referring(['Car']))).toThrow('refers to Car')
  expect(() => start(referring(['User', 'Group']))).toThrow('several types')
  for (const type of [referring(['user']), referring(['User', 'Thing'], [{ name: 'type' }]), referring(['external'])])
    expect(() => start(type)).not.toThrow()
})

test('refuses an indexed attribute, because indexes are kept only for users', () => {
  const attributes = [{ name: 'serial', indexed: true }]

  expect(() => start(typeOf('Thing', '/Things', defineSchema({ id: 'urn:example:I', name: 'I', attributes })))).toThrow(
    'only attributes of users',
  )
})

test('needs a storage with custom resources for stored types, and for no others', () => {
  const { customResources: _, ...without } = storage
  const options = { issuer, storage: without }

  expect(() => createScimServer({ ...options, resourceTypes: [typeOf('Thing', '/Things')] })).toThrow(
    '`customResources`',
  )
  expect(() => createScimServer(options)).not.toThrow()
  const supplied = { resourceType: oktaRoleResourceType, resources: [] }
  expect(() => createScimServer({ ...options, resourceTypes: [supplied] })).not.toThrow()
})

test('refuses more than 50 types', () => {
  const types = Array.from({ length: 51 }, (_, index) => typeOf(`T${index}`, `/T${index}`))

  expect(() => start(...types)).toThrow('more than 50')
  expect(() => start(...types.slice(1))).not.toThrow()
})
