import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { defineResourceType } from '../schema/resource-type.ts'
import { defineSchema } from '../schema/schema.ts'
import { groupResourceType } from '../schema/group-schema.ts'
import { userResourceType } from '../schema/user-schema.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { strictTolerances } from '../tolerance/tolerances.ts'
import { parseResource } from './parse-resource.ts'
import { replaceResource } from './replace-resource.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'

const kim: JsonObject = {
  schemas: [core],
  id: 'usr_1',
  userName: 'kim',
  title: 'Boss',
  active: true,
  meta: { resourceType: 'User' },
}

function put(current: JsonObject, body: JsonObject, type = userResourceType) {
  const { resource } = parseResource({ schemas: [type.schema.id], ...body }, createParseContext(type, strictTolerances))
  return replaceResource(current, resource, type)
}

test('keeps read-only attributes and clears omitted ones (RFC 7644 §3.5.1)', () => {
  const { resource, changed } = put(kim, { id: 'other', meta: { resourceType: 'Admin' }, userName: 'k2' })

  expect(JSON.parse(JSON.stringify(resource))).toEqual({
    schemas: [core],
    id: 'usr_1',
    userName: 'k2',
    meta: { resourceType: 'User' },
  })
  expect(changed).toBe(true)
})

test('returns the same object for a PUT that changes nothing (RFC 7644 §3.5.1)', () => {
  const { resource, changed } = put(kim, { userName: 'kim', title: 'Boss', active: true, nickName: null })

  expect(changed).toBe(false)
  expect(resource).toBe(kim)
})

test('adds and removes members, and refuses to edit them (RFC 7643 §4.2)', () => {
  const group: JsonObject = {
    schemas: [groupResourceType.schema.id],
    id: 'g',
    displayName: 'Ops',
    members: [{ value: 'u1', type: 'User' }, { value: 'u2' }],
  }
  const replace = (members: readonly JsonObject[]) => put(group, { displayName: 'Ops', members }, groupResourceType)

  expect(replace([{ value: 'u3' }, { value: 'u1' }]).resource['members']).toEqual([
    { value: 'u3' },
    { value: 'u1', type: 'User' },
  ])
  expect(replace([{ value: 'u2' }, { value: 'u1', display: 'x' }]).changed).toBe(false)
  expect(summarizeRefusal(() => replace([{ value: 'u1', type: 'Group' }]))).toBe('400 mutability attribute_immutable')
})

const badge = defineSchema({
  id: 'urn:example:badge',
  name: 'Badge',
  attributes: [
    { name: 'number', mutability: 'immutable' },
    { name: 'doors', mutability: 'immutable', multiValued: true },
    { name: 'desk', type: 'complex', subAttributes: [{ name: 'room', mutability: 'immutable' }, { name: 'note' }] },
  ],
})
const staffType = defineResourceType({
  name: 'User',
  endpoint: '/Users',
  schema: userResourceType.schema,
  extensions: [badge],
})
const putBadge = (current: JsonObject, members: JsonObject) =>
  put(current, { userName: 'kim', [badge.id]: members }, staffType)

test('sets an immutable attribute once, and refuses to change it (RFC 7644 §3.5.1)', () => {
  const first = putBadge(kim, { number: '1' }).resource

  expect(first[badge.id]).toEqual({ number: '1' })
  expect(putBadge(first, { number: '1' }).changed).toBe(false)
  expect(putBadge(first, { number: null }).resource[badge.id]).toEqual({ number: '1' })
  expect(summarizeRefusal(() => putBadge(first, { number: '2' }))).toBe('400 mutability attribute_immutable')
})

test('accepts the values of an immutable attribute in any order (RFC 7643 §2.4)', () => {
  const first = putBadge(kim, { doors: ['a', 'b'] }).resource

  expect(putBadge(first, { doors: ['b', 'a'] }).changed).toBe(false)
  expect(summarizeRefusal(() => putBadge(first, { doors: ['a'] }))).toBe('400 mutability attribute_immutable')
})

test('keeps an immutable sub-attribute of a single value, and refuses to change it (RFC 7643 §7)', () => {
  const first = putBadge(kim, { desk: { room: '1', note: 'n' } }).resource

  expect(putBadge(first, { desk: { note: 'm' } }).resource[badge.id]).toEqual({ desk: { room: '1', note: 'm' } })
  expect(putBadge(first, {}).resource).not.toHaveProperty(badge.id)
  expect(summarizeRefusal(() => putBadge(first, { desk: { room: '2' } }))).toBe('400 mutability attribute_immutable')
})
