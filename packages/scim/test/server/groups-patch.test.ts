import { describe, expect, test } from 'vitest'

import { defineResourceType, groupResourceType } from '../../src/index.ts'
import { countFunctionCallsAsync } from '../fixtures/function-calls.ts'
import {
  aGroup,
  expectRefusal,
  groupSchema,
  startDirectory,
  type Directory,
  type ExpectedRefusal,
} from '../fixtures/directory-under-test.ts'
import { idOf } from '../fixtures/scim-under-test.ts'

const join = (...ids: readonly (string | undefined)[]) => ({
  op: 'add',
  path: 'members',
  value: ids.map((value) => ({ value })),
})
const leave = (id: string | undefined) => ({ op: 'remove', path: `members[value eq "${id}"]` })
const rename = (value: string) => ({ op: 'replace', path: 'displayName', value })

/** Starts a directory with four users and a group of the first two. */
async function startGroup(
  profile?: Parameters<typeof startDirectory>[1],
): Promise<{ directory: Directory; id: string; users: readonly [string, string, string, string] }> {
  const directory = await startDirectory(4, profile)
  const [one = '', two = '', three = '', four = ''] = directory.users
  const id = await directory.createGroup(aGroup([one, two]))
  directory.forgetCalls()
  return { directory, id, users: [one, two, three, four] }
}

describe('what identity providers send', () => {
  type FourUsers = readonly [string, string, string, string]
  type Row = readonly [
    change: string,
    profile: 'entra' | 'okta' | 'oneLogin' | 'all' | 'strict',
    operations: (users: FourUsers) => readonly object[],
    left: readonly number[],
  ]
  test.each<Row>([
    [
      'adding members, one of whom exists, with a null $ref',
      'entra',
      ([one, , three]) => [
        {
          op: 'Add',
          path: 'members',
          value: [
            { $ref: null, value: one },
            { $ref: null, value: three },
          ],
        },
      ],
      [0, 1, 2],
    ],
    [
      'removing members listed in the value',
      'entra',
      ([one]) => [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: one }] }],
      [1],
    ],
    ['removing a member', 'entra', ([one]) => [leave(one)], [1]],
    ['removing a user who is not a member', 'entra', ([, , three]) => [leave(three)], [0, 1]],
    ['removing an unknown id', 'strict', () => [leave('nobody')], [0, 1]],
    ['removing all members', 'entra', () => [{ op: 'Remove', path: 'members' }], []],
    [
      'attribute names in any case',
      'entra',
      ([one, , three]) => [
        { op: 'Add', path: 'Members', value: [{ Value: three }] },
        { op: 'remove', path: `MEMBERS[Value EQ "${one}"]` },
      ],
      [1, 2],
    ],
    [
      'adding members as strings',
      'entra',
      ([, , three, four]) => [{ op: 'Add', path: 'members', value: [three, four] }],
      [0, 1, 2, 3],
    ],
    [
      'adding members without a path',
      'entra',
      ([, , three]) => [{ op: 'Add', value: { members: [{ value: three }] } }],
      [0, 1, 2],
    ],
    [
      'adding members by URN',
      'strict',
      ([, , three]) => [{ op: 'add', path: `${groupSchema}:members`, value: [{ value: three }] }],
      [0, 1, 2],
    ],
    [
      'adding one member without a list',
      'strict',
      ([, , three]) => [{ op: 'add', path: 'members', value: { value: three } }],
      [0, 1, 2],
    ],
    ['replacing all members with null', 'entra', () => [{ op: 'Replace', path: 'members', value: null }], []],
    ['adding an empty list', 'entra', () => [{ op: 'Add', path: 'members', value: [] }], [0, 1]],
    [
      'removing one member and adding another with its display name',
      'okta',
      ([one, , three]) => [
        leave(one),
        { op: 'add', path: 'members', value: [{ value: three, display: 'kim@x.test' }] },
      ],
      [1, 2],
    ],
    [
      'replacing all members',
      'okta',
      ([, two, three]) => [
        {
          op: 'replace',
          path: 'members',
          value: [
            { value: three, display: 'a' },
            { value: two, display: 'b' },
          ],
        },
      ],
      [1, 2],
    ],
    [
      'replacing all members without a path',
      'okta',
      ([, , three]) => [{ op: 'replace', value: { members: [{ value: three }] } }],
      [2],
    ],
    ['adding and removing (OneLogin)', 'oneLogin', ([one, , three]) => [join(three), leave(one)], [1, 2]],
    [
      'adding one member per operation (Ping)',
      'strict',
      ([, , three, four]) => [join(three), join(four)],
      [0, 1, 2, 3],
    ],
    [
      'removing with the attribute repeated in the value (Salesforce)',
      'all',
      ([one]) => [{ op: 'remove', path: 'members', value: { members: [{ value: one }] } }],
      [1],
    ],
    [
      'removing several members with one filter',
      'strict',
      ([one, two]) => [{ op: 'remove', path: `members[value eq "${one}" or value eq "${two}"]` }],
      [],
    ],
    ['adding a member, then removing it', 'strict', ([, , three]) => [join(three), leave(three)], [0, 1]],
    ['removing a member, then adding it', 'strict', ([one]) => [leave(one), join(one)], [0, 1]],
    [
      'removing all members, then adding two, then removing one',
      'strict',
      ([one, two, three]) => [join(three), { op: 'remove', path: 'members' }, join(one, two), leave(one)],
      [1],
    ],
    [
      'replacing all members, then adding one, then removing one',
      'strict',
      ([one, , three]) => [{ op: 'replace', path: 'members', value: [{ value: three }] }, join(one), leave(three)],
      [0],
    ],
  ])('changes members without reading them: %s', async (_, profile, operations, left) => {
    const { directory, id, users } = await startGroup(profile)

    const reply = await directory.patch(id, ...operations(users))

    expect(reply).toMatchObject({ status: 204, body: undefined })
    expect(new Set(await directory.memberIds(id))).toEqual(new Set(left.map((index) => users[index])))
    expect(directory.calls.membersOf).toBe(0)
  })

  test('renames a group, even when the value repeats its id', async () => {
    const { directory, id } = await startGroup('okta')

    const renamed = await directory.patch(id, rename('Operations'))
    expect(renamed.status).toBe(204)
    // Without this header, the Java client SCIM-SDK reports a failure.
    expect(renamed.headers.get('content-type')).toBe('application/scim+json')
    expect((await directory.patch(id, { op: 'replace', value: { id, displayName: 'Ops 2' } })).status).toBe(204)
    expect(await directory.send({ path: `/Groups/${id}` })).toMatchObject({
      body: { displayName: 'Ops 2', meta: { version: 'W/"3"' } },
    })
  })

  test('accepts a PATCH without operations', async () => {
    const { directory, id } = await startGroup('entra')
    const before = directory.dump()

    expect((await directory.patch(id)).status).toBe(204)
    expect(directory.dump()).toBe(before)
  })

  test("creates a group with one of Microsoft's URNs", async () => {
    const directory = await startDirectory(0, 'entra')
    const schemas = [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group']

    const reply = await directory.send({
      method: 'POST',
      path: '/Groups',
      body: { schemas, externalId: '8aa1-guid', displayName: 'Ops', meta: { resourceType: 'Group' } },
    })

    expect(reply).toMatchObject({
      status: 201,
      body: { schemas: [groupSchema], externalId: '8aa1-guid', displayName: 'Ops' },
    })
  })

  test('looks up, creates, imports and removes a group', async () => {
    const directory = await startDirectory(1, 'okta')
    const none = await directory.send({ path: '/Groups?filter=displayName%20eq%20%22Ops%22&startIndex=1&count=100' })

    const pushed = await directory.send({
      method: 'POST',
      path: '/Groups',
      body: { schemas: [groupSchema], displayName: 'Ops', members: [] },
    })
    const id = idOf(pushed)
    await directory.patch(id, join(directory.users[0]))
    const imported = await directory.send({ path: '/Groups?startIndex=1&count=100' })

    expect(none).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } })
    expect(pushed.status).toBe(201)
    expect(imported).toMatchObject({
      body: { totalResults: 1, Resources: [{ id, members: [{ value: directory.users[0] }] }] },
    })
    expect((await directory.send({ method: 'DELETE', path: `/Groups/${id}` })).status).toBe(204)
  })
})

describe('one PATCH', () => {
  test('changes name and members in one write (RFC 7644 §3.5.2)', async () => {
    const { directory, id, users } = await startGroup()

    const reply = await directory.patch(id, rename('Dev'), join(users[2]), leave(users[0]))

    expect(reply.headers.get('etag')).toBe('W/"2"')
    expect(directory.calls).toEqual({ find: 1, membersOf: 0, change: 1 })
    expect(await directory.send({ path: `/Groups/${id}` })).toMatchObject({
      body: { displayName: 'Dev', meta: { version: 'W/"2"' } },
    })
    expect(directory.events.filter(({ type }) => type === 'group.changed')).toHaveLength(1)
  })

  test('that changes nothing writes nothing (RFC 7644 §3.5.2.1)', async () => {
    const { directory, id } = await startGroup()

    const reply = await directory.patch(id, rename('Ops'))

    expect(reply.headers.get('etag')).toBe('W/"1"')
    expect(directory.calls.change).toBe(0)
  })

  test.each<[string, (users: readonly string[]) => readonly object[], ExpectedRefusal]>([
    [
      'adding a user who does not exist',
      () => [rename('Dev'), join('nobody')],
      { status: 400, scimType: 'invalidValue', reason: 'member_unknown' },
    ],
    [
      'removing the name',
      ([, , three]) => [join(three), { op: 'remove', path: 'displayName' }],
      { status: 400, scimType: 'mutability', reason: 'attribute_required' },
    ],
    [
      'an unknown path',
      ([, , three]) => [join(three), { op: 'remove', path: 'crew' }],
      { status: 400, scimType: 'invalidPath', reason: 'path_unknown' },
    ],
    [
      'a different id',
      ([, , three]) => [join(three), { op: 'replace', value: { id: 'x' } }],
      { status: 400, scimType: 'mutability', reason: 'attribute_read_only' },
    ],
    [
      'editing the value of a member',
      ([one, , three]) => [{ op: 'replace', path: `members[value eq "${one}"].value`, value: three }],
      { status: 400, scimType: 'mutability', reason: 'attribute_immutable' },
    ],
    [
      'changing the type of a member',
      ([one]) => [{ op: 'replace', path: 'members', value: [{ value: one, type: 'Group' }] }],
      { status: 400, scimType: 'mutability', reason: 'attribute_immutable' },
    ],
    [
      'editing the $ref of a member',
      ([one]) => [{ op: 'replace', path: `members[value eq "${one}"].$ref`, value: 'https://evil.test' }],
      { status: 400, scimType: 'mutability', reason: 'attribute_immutable' },
    ],
    [
      'a member without a value',
      () => [{ op: 'add', path: 'members', value: [{ type: 'User' }] }],
      { status: 400, scimType: 'invalidValue', reason: 'value_required' },
    ],
    [
      'an add without a value',
      () => [{ op: 'add', path: 'members' }],
      { status: 400, scimType: 'invalidValue', reason: 'value_missing' },
    ],
    [
      '__proto__ in the filter',
      () => [{ op: 'remove', path: 'members[__proto__ eq "x"]' }],
      { status: 400, scimType: 'invalidPath', reason: 'path_syntax' },
    ],
    [
      'removing the member that has a $ref, which only responses have',
      ([one]) => [{ op: 'remove', path: `members[$ref co "${one}"]` }],
      { status: 400, scimType: 'invalidFilter', reason: 'filter_attribute_unsearchable' },
    ],
    [
      'removing the members without a $ref',
      () => [{ op: 'remove', path: 'members[type eq "User" and not ($ref pr)]' }],
      { status: 400, scimType: 'invalidFilter', reason: 'filter_attribute_unsearchable' },
    ],
    [
      'a remove without a path',
      () => [{ op: 'remove' }],
      { status: 400, scimType: 'noTarget', reason: 'path_missing' },
    ],
    [
      'a filter that selects nobody',
      () => [{ op: 'replace', path: 'members[value eq "nobody"]', value: { value: 'nobody' } }],
      { status: 400, scimType: 'noTarget', reason: 'path_no_match' },
    ],
  ])('%s is refused and writes nothing', async (_, operations, refused) => {
    const { directory, id, users } = await startGroup()

    await expectRefusal(directory, () => directory.patch(id, ...operations(users)), refused)
  })

  test.each<[string, (users: readonly string[]) => object, ExpectedRefusal]>([
    [
      'a remove with a value',
      ([one]) => ({ op: 'remove', path: 'members', value: [{ value: one }] }),
      { status: 400, scimType: 'invalidSyntax', reason: 'remove_with_value' },
    ],
    [
      'a member as a string',
      ([one]) => ({ op: 'add', path: 'members', value: [one] }),
      { status: 400, scimType: 'invalidValue', reason: 'value_type' },
    ],
    [
      'null as the list of members',
      () => ({ op: 'replace', path: 'members', value: null }),
      { status: 400, scimType: 'invalidValue', reason: 'value_missing' },
    ],
    [
      'the operation Add',
      ([one]) => ({ op: 'Add', path: 'members', value: [{ value: one }] }),
      { status: 400, scimType: 'invalidSyntax', reason: 'operation_unknown' },
    ],
  ])('the strict profile refuses %s', async (_, operation, refused) => {
    const { directory, id, users } = await startGroup('strict')

    await expectRefusal(directory, () => directory.patch(id, operation(users)), refused)
  })

  test('adding an existing member or removing an absent one changes neither version nor date (RFC 7644 §3.5.2.1)', async () => {
    const { directory, id, users } = await startGroup()
    const before = directory.dump()
    directory.clock.advance(60)

    const reply = await directory.patch(id, join(users[0]), leave(users[3]), rename('Ops'))

    expect(reply.headers.get('etag')).toBe('W/"1"')
    expect(directory.dump()).toBe(before)
    expect(directory.events.filter(({ type }) => type === 'group.changed')).toEqual([])
  })

  test.each([
    ['on type', 'members[type eq "Group"]'],
    ['on type and a negation', 'members[not (value eq "x") and type eq "group"]'],
    ['on type and the start of the value', 'members[value sw "" and type eq "Group"]'],
  ])('reads the members once for a filter %s', async (_, path) => {
    const { directory, id, users } = await startGroup()
    const inner = await directory.createGroup()
    await directory.patch(id, join(inner))
    directory.forgetCalls()

    expect((await directory.patch(id, { op: 'remove', path })).status).toBe(204)
    expect(directory.calls).toEqual({ find: 1, membersOf: 1, change: 1 })
    expect(new Set(await directory.memberIds(id))).toEqual(new Set([users[0], users[1]]))
  })

  test('never stores a member twice, however the operation selects it (RFC 7643 §2.4)', async () => {
    const { directory, id, users } = await startGroup('entra')

    const reply = await directory.patch(id, {
      op: 'add',
      path: 'members[type eq "Group"]',
      value: { value: users[0] },
    })

    expect(reply).toMatchObject({ status: 204 })
    expect(reply.headers.get('etag')).toBe('W/"1"')
    expect(new Set(await directory.memberIds(id))).toEqual(new Set([users[0], users[1]]))
  })

  test('responds with 204, or 200 with the requested attributes (RFC 7644 §3.5.2)', async () => {
    const { directory, id, users } = await startGroup()
    const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [leave(users[0])] }

    const reply = await directory.send({ method: 'PATCH', path: `/Groups/${id}?attributes=members.value`, body })

    expect(reply).toMatchObject({ status: 200, body: { id, members: [{ value: users[1] }] } })
    expect(reply.body).not.toHaveProperty('displayName')
    expect(reply.headers.get('etag')).toBe('W/"2"')
  })

  test('records the used tolerances once', async () => {
    const { directory, id, users } = await startGroup('entra')
    const seen = directory.events.length

    await directory.patch(id, { op: 'Remove', path: 'members', value: [users[0]] })

    expect(directory.events.slice(seen).filter(({ type }) => type === 'tolerance.applied')).toMatchObject([
      {
        applied: [
          { tolerance: 'operation-name-case', count: 1 },
          { tolerance: 'remove-with-value', count: 1 },
          { tolerance: 'text-for-complex', count: 1 },
        ],
      },
    ])
  })
})

test('a change of an extension that shares the definition of members adds nobody (RFC 7643 §3.3)', async () => {
  const deputies = { ...groupResourceType.schema, id: 'urn:example:deputies:2.0:Group' }
  const groupType = defineResourceType({ ...groupResourceType, extensions: [deputies] })
  const directory = await startDirectory(3, 'strict', { groupType })
  const [one = '', two = '', three = ''] = directory.users
  const id = await directory.createGroup(aGroup([one]))

  const value = { displayName: 'Deputies', members: [{ value: three }] }
  const reply = await directory.patch(id, join(two), { op: 'add', path: deputies.id, value })
  const group = await directory.send({ path: `/Groups/${id}` })

  expect(reply.status).toBe(204)
  expect(new Set(await directory.memberIds(id))).toEqual(new Set([one, two]))
  expect(group.body?.[deputies.id]).toMatchObject({ members: [{ value: three }] })
})

describe('a group of 10,000', () => {
  test('adds or removes a member without reading the others, at a cost that does not depend on their number', async () => {
    const directory = await startDirectory(10_001)
    const [one, ...others] = directory.users
    const id = await directory.createGroup(aGroup(others))
    directory.forgetCalls()

    const calls = await countFunctionCallsAsync(async () => {
      await directory.patch(id, join(one))
      await directory.patch(id, leave(one))
    })

    expect(directory.calls.membersOf).toBe(0)
    expect(await directory.memberIds(id)).toHaveLength(10_000)
    expect(calls).toBeLessThan(3000)
  })
})
