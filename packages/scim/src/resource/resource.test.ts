import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { defineResourceType } from '../schema/resource-type.ts'
import { defineSchema } from '../schema/schema.ts'
import { userResourceType } from '../schema/user-schema.ts'
import { parseProjection, projectResource, type RequestedAttributes, splitAttributeNames } from './resource.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const kim: JsonObject = {
  [enterprise]: { manager: { value: 'u9', displayName: 'Boss' }, department: 'Ops' },
  meta: { version: 'W/"1"', resourceType: 'User' },
  emails: [{ primary: true, type: 'work', value: 'a@x' }, { value: 'b@x' }],
  password: 'secret',
  name: { familyName: 'Lee', givenName: 'Kim' },
  userName: 'kim',
  externalId: 'e',
  id: 'usr_1',
  schemas: [core, enterprise],
  internal: 'ours',
}

const project = (requested: RequestedAttributes) => projectResource(kim, parseProjection(requested, userResourceType))
const only = (...attributes: readonly string[]) => project({ attributes })
const without = (...excludedAttributes: readonly string[]) => project({ excludedAttributes })
const always = { schemas: kim['schemas'], id: 'usr_1' }

test('a resource has by default the attributes of its schemas, in the order of the schemas, and never a password (RFC 7643 §7)', () => {
  expect(JSON.stringify(project({}))).toBe(
    JSON.stringify({
      schemas: [core, enterprise],
      id: 'usr_1',
      externalId: 'e',
      userName: 'kim',
      name: { familyName: 'Lee', givenName: 'Kim' },
      emails: [{ value: 'a@x', type: 'work', primary: true }, { value: 'b@x' }],
      meta: { resourceType: 'User', version: 'W/"1"' },
      [enterprise]: { department: 'Ops', manager: { value: 'u9', displayName: 'Boss' } },
    }),
  )
})

test.each<[readonly string[], JsonObject]>([
  [['userName'], { userName: 'kim' }],
  [['USERNAME', ' externalId '], { userName: 'kim', externalId: 'e' }],
  [['name.familyName'], { name: { familyName: 'Lee' } }],
  [['emails.value'], { emails: [{ value: 'a@x' }, { value: 'b@x' }] }],
  [['emails.type'], { emails: [{ type: 'work' }] }],
  [['emails', 'emails.type'], { emails: kim['emails'] ?? null }],
  [['emails[type eq "work"]'], { emails: kim['emails'] ?? null }],
  [[`${core}:userName`], { userName: 'kim' }],
  [[`${enterprise}:department`], { [enterprise]: { department: 'Ops' } }],
  [[`${enterprise}:manager.value`], { [enterprise]: { manager: { value: 'u9' } } }],
  [[enterprise], { [enterprise]: kim[enterprise] ?? null }],
  [['password'], {}],
  [['nothing', '__proto__', 'constructor', 'name.__proto__', '', 'internal'], {}],
  [['meta.version'], { meta: { version: 'W/"1"' } }],
])('shows only the attributes of attributes=%j (RFC 7644 §3.9)', (names, expected) => {
  expect(JSON.parse(JSON.stringify(only(...names)))).toEqual({ ...always, ...expected })
})

test.each<[readonly string[], readonly string[]]>([
  [
    ['emails', 'meta', enterprise],
    ['schemas', 'id', 'externalId', 'userName', 'name'],
  ],
  [
    ['id', 'schemas'],
    ['schemas', 'id', 'externalId', 'userName', 'name', 'emails', 'meta', enterprise],
  ],
  [['nothing'], ['schemas', 'id', 'externalId', 'userName', 'name', 'emails', 'meta', enterprise]],
  [[core], ['schemas', 'id', 'externalId', 'meta', enterprise]],
])('leaves out the attributes of excludedAttributes=%j (RFC 7644 §3.9)', (names, left) => {
  expect(Object.keys(without(...names))).toEqual(left)
})

test('excludes a sub-attribute (RFC 7644 §3.9)', () => {
  expect(without('emails.primary', 'name.givenName')).toMatchObject({
    name: { familyName: 'Lee' },
    emails: [{ value: 'a@x', type: 'work' }, { value: 'b@x' }],
  })
})

test('shows an attribute that is returned on request when it is named (RFC 7643 §7)', () => {
  const badge = defineSchema({
    id: 'urn:example:badge',
    name: 'Badge',
    attributes: [
      { name: 'pin', returned: 'request' },
      { name: 'number', returned: 'always' },
      { name: 'hash', returned: 'never' },
    ],
  })
  const type = defineResourceType({
    name: 'User',
    endpoint: '/Users',
    schema: userResourceType.schema,
    extensions: [badge],
  })
  const resource = { userName: 'k', [badge.id]: { pin: '1', number: '2', hash: '3' } }
  const shown = (requested: RequestedAttributes) =>
    projectResource(resource, parseProjection(requested, type))[badge.id]

  expect(shown({})).toEqual({ number: '2' })
  expect(shown({ attributes: ['userName'] })).toEqual({ number: '2' })
  expect(shown({ attributes: [`${badge.id}:pin`, `${badge.id}:hash`] })).toEqual({ pin: '1', number: '2' })
  expect(shown({ excludedAttributes: [badge.id] })).toEqual({ number: '2' })
})

test('refuses attributes together with excludedAttributes, and too many names (RFC 7644 §3.9)', () => {
  expect(summarizeRefusal(() => project({ attributes: ['id'], excludedAttributes: ['id'] }))).toBe(
    '400 invalidSyntax projection_both',
  )
  expect(summarizeRefusal(() => project({ attributes: splitAttributeNames('a,'.repeat(10_000)) }))).toBe(
    '400 invalidSyntax projection_too_many',
  )
  expect(splitAttributeNames(' a, ,b,')).toEqual(['a', 'b'])
})
