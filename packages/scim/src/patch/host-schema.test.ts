import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { finder } from '../../test/fixtures/finder.ts'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { defineResourceType } from '../schema/resource-type.ts'
import { defineSchema } from '../schema/schema.ts'
import { userSchema } from '../schema/user-schema.ts'
import { createParseContext } from '../schema/parse-context.ts'
import { strictTolerances } from '../tolerance/tolerances.ts'
import { applyPatch } from './apply-patch.ts'
import { parsePatch } from './parse-patch.ts'

const badge = defineSchema({
  id: 'urn:example:badge:1.0',
  name: 'Badge',
  attributes: [
    { name: 'number', type: 'integer', mutability: 'immutable' },
    { name: 'weight', type: 'decimal' },
    { name: 'score', type: 'integer', isComputed: true },
    { name: 'serial', type: 'integer', isComputed: true, mutability: 'immutable' },
    { name: 'tags', multiValued: true },
    { name: 'labels', multiValued: true, caseExact: true },
    { name: 'floors', type: 'integer', multiValued: true },
    {
      name: 'doors',
      type: 'complex',
      multiValued: true,
      mutability: 'immutable',
      subAttributes: [{ name: 'value' }, { name: 'note' }],
    },
    {
      name: 'office',
      type: 'complex',
      mutability: 'immutable',
      subAttributes: [{ name: 'city' }, { name: 'floor' }],
    },
    {
      name: 'desk',
      type: 'complex',
      subAttributes: [
        { name: 'room', required: true },
        { name: 'plates', multiValued: true },
        { name: 'plan', isComputed: true },
      ],
    },
  ],
})
const type = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [badge] })

const kim: JsonObject = {
  schemas: [userSchema.id, badge.id],
  userName: 'kim',
  [badge.id]: {
    number: 7,
    weight: 1.5,
    tags: ['a', 'b'],
    labels: ['x'],
    floors: [1],
    doors: [{ value: 'd1' }],
    office: { city: 'Oslo' },
    desk: { room: '1', plates: ['p'] },
  },
}

function patch(...operations: readonly JsonValue[]): JsonObject {
  const context = createParseContext(type, strictTolerances)
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations }
  return applyPatch(kim, parsePatch(body, context.tolerances), context).resource[badge.id] as JsonObject
}

const pathOf = (name: string): string => `${badge.id}:${name}`
const finds = (filter: string, resource = kim): boolean => finder(filter, type)(resource)

test('does not merge adjacent operations on different lists (RFC 7644 §3.5.2)', () => {
  const after = patch(
    { op: 'add', path: pathOf('tags'), value: ['c'] },
    { op: 'add', path: pathOf('labels'), value: ['y'] },
    { op: 'add', path: pathOf('labels'), value: ['X'] },
    { op: 'add', path: pathOf('tags'), value: ['A', 'd'] },
  )

  expect(after).toMatchObject({ tags: ['a', 'b', 'c', 'd'], labels: ['x', 'y', 'X'] })
})

test('does not merge adjacent operations on two extensions that share attributes (RFC 7644 §3.5.2)', () => {
  const badge2 = { ...badge, id: 'urn:example:badge:2.0' }
  const both = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [badge, badge2] })
  const stored = { ...kim, [badge2.id]: { doors: [{ value: 'd1' }, { value: 'd2' }], tags: ['b'] } }
  const operations = [
    { op: 'add', path: `${badge.id}:tags`, value: ['one'] },
    { op: 'add', path: `${badge2.id}:tags`, value: ['two'] },
  ] as const

  const { resource } = applyPatch(stored, operations, createParseContext(both, strictTolerances))

  expect(resource).toMatchObject({ [badge.id]: { tags: ['a', 'b', 'one'] }, [badge2.id]: { tags: ['b', 'two'] } })
})

test('adds, replaces and removes lists of simple values, and refuses to select a simple value (RFC 7644 §3.5.2)', () => {
  expect(patch({ op: 'replace', path: pathOf('tags'), value: ['c'] })['tags']).toEqual(['c'])
  expect(patch({ op: 'add', path: pathOf('floors'), value: [1, 2] })['floors']).toEqual([1, 2])
  expect(patch({ op: 'remove', path: pathOf('tags') })).not.toHaveProperty('tags')
  expect(patch({ op: 'add', path: pathOf('desk.plates'), value: ['q'] })['desk']).toEqual({
    room: '1',
    plates: ['p', 'q'],
  })
  expect(summarizeRefusal(() => patch({ op: 'remove', path: `${badge.id}:tags[value eq "a"]` }))).toBe(
    '400 invalidPath path_filter',
  )
})

test('refuses to change immutable attributes and sub-attributes (RFC 7643 §7)', () => {
  const refusals: readonly JsonValue[] = [
    { op: 'replace', path: pathOf('number'), value: 8 },
    { op: 'remove', path: pathOf('number') },
    { op: 'remove', path: badge.id },
    { op: 'add', path: pathOf('doors'), value: [{ value: 'd2' }] },
    { op: 'replace', path: pathOf('doors[value eq "d1"].note'), value: 'n' },
    { op: 'remove', path: pathOf('doors[value eq "d1"]') },
    { op: 'replace', path: pathOf('office.city'), value: 'Rome' },
    { op: 'add', path: pathOf('office.floor'), value: '2' },
    { op: 'remove', path: pathOf('office.city') },
  ]

  for (const operation of refusals)
    expect(summarizeRefusal(() => patch(operation))).toBe('400 mutability attribute_immutable')
  expect(patch({ op: 'replace', path: pathOf('number'), value: 7 })).toBe(kim[badge.id])
  expect(patch({ op: 'replace', path: pathOf('office.city'), value: 'Oslo' })).toBe(kim[badge.id])
})

test('sets a sub-attribute of an immutable attribute that has no value yet (RFC 7643 §7)', () => {
  const added = applyPatch(
    { userName: 'kim' },
    [{ op: 'add', path: pathOf('office.city'), value: 'Oslo' }],
    createParseContext(type, strictTolerances),
  )

  expect(added.resource[badge.id]).toEqual({ office: { city: 'Oslo' } })
})

test('ignores a write to a computed attribute, and refuses it if the attribute is immutable (RFC 7643 §7)', () => {
  for (const path of ['score', 'desk.plan'])
    expect(patch({ op: 'replace', path: pathOf(path), value: path === 'score' ? 9 : 'p' })).toBe(kim[badge.id])
  expect(summarizeRefusal(() => patch({ op: 'replace', path: pathOf('serial'), value: 9 }))).toBe(
    '400 mutability attribute_immutable',
  )
})

test('refuses to remove a required sub-attribute (RFC 7643 §2.2)', () => {
  expect(summarizeRefusal(() => patch({ op: 'remove', path: pathOf('desk.room') }))).toBe(
    '400 mutability attribute_required',
  )
  expect(summarizeRefusal(() => patch({ op: 'replace', path: pathOf('desk'), value: { room: null } }))).toBe(
    '400 invalidValue value_required',
  )
  expect(patch({ op: 'remove', path: pathOf('desk') })).not.toHaveProperty('desk')
})

test.each([
  [pathOf('number eq 7'), true],
  [pathOf('number ne 7'), false],
  [pathOf('number gt 6'), true],
  [pathOf('number lt 7'), false],
  [pathOf('weight ge 1.5'), true],
  [pathOf('weight le 1.4e0'), false],
  [pathOf('tags eq "A"'), true],
  [pathOf('tags ne "a"'), true],
  [pathOf('tags co "z"'), false],
  [pathOf('labels eq "X"'), false],
  [pathOf('desk.plates eq "P"'), true],
  [pathOf('doors[value eq "d1"]'), true],
])('evaluates the filter %s to %j (RFC 7644 §3.4.2.2)', (filter, found) => {
  expect(finds(filter)).toBe(found)
})

test('refuses to compare a number with a string, or by an operator for strings (RFC 7644 §3.4.2.2)', () => {
  expect(summarizeRefusal(() => finds(pathOf('number eq "7"')))).toBe('400 invalidFilter filter_value_type')
  expect(summarizeRefusal(() => finds(pathOf('number co 7')))).toBe('400 invalidFilter filter_operator')
})

test('treats a complex attribute as absent when its only sub-attribute is an empty list (RFC 7644 §3.4.2.2)', () => {
  expect(finds(pathOf('desk pr'), { [badge.id]: { desk: { plates: [] } } })).toBe(false)
  expect(finds(pathOf('desk pr'), { [badge.id]: { desk: { plates: ['p'] } } })).toBe(true)
})
