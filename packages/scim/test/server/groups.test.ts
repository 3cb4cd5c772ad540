import { describe, expect, test } from 'vitest'

import {
  aGroup,
  expectRefusal,
  groupSchema,
  patchOp,
  startDirectory,
  type Directory,
  type ExpectedRefusal,
} from '../fixtures/directory-under-test.ts'
import { idOf, type ScimReply } from '../fixtures/scim-under-test.ts'

const memberUnknown: ExpectedRefusal = { status: 400, scimType: 'invalidValue', reason: 'member_unknown' }
const base = 'https://as.test/scim/v2/enterprise-idps/T1'
const valuesOf = ({ body }: ScimReply) =>
  ((body?.['members'] ?? []) as readonly { readonly value: string }[]).map(({ value }) => value).toSorted()

describe('create', () => {
  test('responds with 201 and the group; the server assigns type and $ref of a member, and display is not stored (RFC 7644 §3.3, RFC 7643 §4.2)', async () => {
    const directory = await startDirectory()
    const [person = ''] = directory.users
    const inner = await directory.createGroup({ schemas: [groupSchema], displayName: 'Inner' })
    const members = [
      { value: person, display: 'Somebody', $ref: 'https://evil.test/Users/1' },
      { value: inner, type: 'User' },
    ]

    const reply = await directory.send({
      method: 'POST',
      path: '/groups',
      body: { schemas: [groupSchema], displayName: 'Ops', externalId: 'g1', members },
    })

    const id = idOf(reply)
    const location = `${base}/Groups/${id}`
    expect(reply).toMatchObject({ status: 201 })
    expect(reply.headers.get('location')).toBe(location)
    expect(reply.headers.get('etag')).toBe('W/"1"')
    const shown = [
      { value: person, $ref: `${base}/Users/${person}`, type: 'User' },
      { value: inner, $ref: `${base}/Groups/${inner}`, type: 'Group' },
    ]
    expect(reply.body).toEqual({
      schemas: [groupSchema],
      id,
      externalId: 'g1',
      displayName: 'Ops',
      members: shown.toSorted((one, other) => (one.value < other.value ? -1 : 1)),
      meta: {
        resourceType: 'Group',
        created: '2026-09-21T14:13:20.000Z',
        lastModified: '2026-09-21T14:13:20.000Z',
        location,
        version: 'W/"1"',
      },
    })
    expect(directory.events.at(-1)).toMatchObject({ type: 'group.created', providerId: 'T1', groupId: id })
  })

  test('two groups may have the same name (RFC 7643 §4.2)', async () => {
    const directory = await startDirectory(0)

    expect(await directory.createGroup()).not.toBe(await directory.createGroup())
  })

  test.each(['Dev', 'Ops'])(
    'rejects a group named %s with the externalId of another group, and keeps the other group (RFC 7644 §3.3)',
    async (displayName) => {
      const directory = await startDirectory(2)
      const [one = '', two = ''] = directory.users
      const first = await directory.send({
        method: 'POST',
        path: '/Groups',
        body: { ...aGroup([one, two]), externalId: 'g1' },
      })

      await expectRefusal(
        directory,
        () =>
          directory.send({
            method: 'POST',
            path: '/Groups',
            body: { schemas: [groupSchema], displayName, externalId: 'g1' },
          }),
        { status: 409, scimType: 'uniqueness', reason: 'external_id_taken' },
      )

      expect((await directory.send({ path: `/Groups/${idOf(first)}` })).body).toEqual(first.body)
    },
  )

  test('an externalId is case-sensitive and unique within a provider', async () => {
    const directory = await startDirectory(0)
    const body = { schemas: [groupSchema], displayName: 'Ops', externalId: 'g1' }
    const first = await directory.send({ method: 'POST', path: '/Groups', body })

    const capital = await directory.send({ method: 'POST', path: '/Groups', body: { ...body, externalId: 'G1' } })
    const theirs = await directory.send({ method: 'POST', path: '/Groups', provider: 'T2', body })

    expect(new Set([first, capital, theirs].map(idOf)).size).toBe(3)
  })

  test('20 concurrent requests with the same externalId create one group', async () => {
    const directory = await startDirectory(0)
    const body = { schemas: [groupSchema], displayName: 'Ops', externalId: 'g1' }

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => directory.send({ method: 'POST', path: '/Groups', body })),
    )

    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201,
      ...Array<number>(19).fill(409),
    ])
    expect(directory.events.filter(({ type }) => type === 'group.created')).toHaveLength(1)
  })

  test.each<[string, object, ExpectedRefusal]>([
    ['no displayName', { schemas: [groupSchema] }, { status: 400, scimType: 'invalidValue', reason: 'value_required' }],
    [
      'an empty displayName',
      { schemas: [groupSchema], displayName: '' },
      { status: 400, scimType: 'invalidValue', reason: 'value_required' },
    ],
    [
      'a member without a value',
      { ...aGroup(), members: [{ type: 'User' }] },
      { status: 400, scimType: 'invalidValue', reason: 'value_required' },
    ],
    ['a member who does not exist', aGroup(['nobody']), memberUnknown],
    ['a member whose id is __proto__', aGroup(['__proto__']), memberUnknown],
    [
      'a member whose id contains U+0000',
      aGroup(['a\0b']),
      { status: 400, scimType: 'invalidValue', reason: 'value_characters' },
    ],
    [
      'the schema of users',
      { ...aGroup(), schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] },
      { status: 400, scimType: 'invalidSyntax', reason: 'schemas_missing' },
    ],
  ])('refuses a group with %s', async (_, body, refused) => {
    const directory = await startDirectory(1)

    await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Groups', body }), refused)
  })
})

describe('members belong to the same provider', () => {
  const ways: readonly [string, (directory: Directory, member: string) => Promise<ScimReply>][] = [
    [
      'POST',
      (directory, member) =>
        directory.send({ method: 'POST', path: '/Groups', body: aGroup([directory.users[0] ?? '', member]) }),
    ],
    [
      'PUT',
      async (directory, member) =>
        directory.send({
          method: 'PUT',
          path: `/Groups/${await findOpsId(directory)}`,
          body: { ...aGroup([member]), displayName: 'Dev' },
        }),
    ],
    [
      'PATCH add',
      async (directory, member) =>
        directory.patch(
          await findOpsId(directory),
          { op: 'replace', path: 'displayName', value: 'Dev' },
          { op: 'add', path: 'members', value: [{ value: member }] },
        ),
    ],
    [
      'PATCH replace',
      async (directory, member) =>
        directory.patch(await findOpsId(directory), { op: 'replace', path: 'members', value: [{ value: member }] }),
    ],
  ]

  test.each(ways)('refuses %s with a member that is unknown, removed or of another provider', async (_, send) => {
    const directory = await startDirectory(2)
    const [kept = '', removed = ''] = directory.users
    await directory.createGroup({ ...aGroup([kept]), externalId: 'ops' })
    await directory.send({ method: 'DELETE', path: `/Users/${removed}` })

    for (const member of [directory.stranger, removed, 'nobody'])
      await expectRefusal(directory, () => send(directory, member), memberUnknown)
  })

  test.each(ways)('names the member that it refuses to %s with, in detail and event alike', async (_, send) => {
    const directory = await startDirectory(2)
    await directory.createGroup({ ...aGroup(directory.users.slice(0, 1)), externalId: 'ops' })

    const named = async (member: string) => {
      const { body } = await send(directory, member)
      const event = directory.events.findLast(({ type }) => type === 'request.refused')
      return { detail: body?.['detail'], value: event !== undefined && 'value' in event && event.value }
    }

    const sentence =
      'Each member must be a user or another group of this identity provider. Attribute: members. Received:'
    expect(await named('nobody@example.test')).toEqual({
      detail: `${sentence} nobody@example.test.`,
      value: 'nobody@example.test',
    })
    // What exists at another provider is named as what exists nowhere.
    expect(await named(directory.stranger)).toEqual({
      detail: `${sentence} ${directory.stranger}.`,
      value: directory.stranger,
    })
    expect(await named(`"é ${'x'.repeat(300)}`)).toEqual({
      detail: `${sentence} ?? ${'x'.repeat(125)}....`,
      value: `?? ${'x'.repeat(125)}...`,
    })
  })

  test('a group cannot be a member of itself, but may be a member of its own member (RFC 7643 §4.2)', async () => {
    const directory = await startDirectory(0)
    const outer = await directory.createGroup()
    const inner = await directory.createGroup(aGroup([outer]))

    await expectRefusal(
      directory,
      () => directory.patch(outer, { op: 'add', path: 'members', value: [{ value: outer }] }),
      memberUnknown,
    )
    expect(await directory.patch(outer, { op: 'add', path: 'members', value: [{ value: inner }] })).toMatchObject({
      status: 204,
    })
  })

  const findOpsId = async (directory: Directory) => {
    const list = await directory.send({ path: '/Groups?filter=externalId eq "ops"&attributes=id' })
    const [found] = (list.body?.['Resources'] ?? []) as readonly ScimReply['body'][]
    return idOf({ ...list, body: found })
  }
})

describe('read', () => {
  test('responds with 304 to the current version in If-None-Match, and otherwise with the group (RFC 7644 §3.14)', async () => {
    const directory = await startDirectory(1)
    const id = await directory.createGroup(aGroup(directory.users))
    directory.forgetCalls()

    const known = await directory.send({ path: `/Groups/${id}`, headers: { 'if-none-match': 'W/"1"' } })

    expect(known).toMatchObject({ status: 304, body: undefined })
    expect(directory.calls.membersOf).toBe(0)
    expect(await directory.send({ path: `/Groups/${id}`, headers: { 'if-none-match': 'W/"2"' } })).toMatchObject({
      status: 200,
      body: { id },
    })
  })

  test('a group of another provider is 404 for every method (RFC 7644 §6)', async () => {
    const directory = await startDirectory(1)
    const id = await directory.createGroup(aGroup(directory.users))
    const notFound = { status: 404, reason: 'resource_not_found' } as const
    const at = { provider: 'T2', path: `/Groups/${id}` }

    for (const method of ['GET', 'DELETE'])
      await expectRefusal(directory, () => directory.send({ ...at, method }), notFound)
    await expectRefusal(directory, () => directory.send({ ...at, method: 'PUT', body: aGroup() }), notFound)
    await expectRefusal(
      directory,
      () =>
        directory.send({
          ...at,
          method: 'PATCH',
          body: { schemas: [patchOp], Operations: [{ op: 'remove', path: 'members' }] },
        }),
      notFound,
    )
  })

  test.each(['..%2f..', '%00', '__proto__', 'x'.repeat(10_000)])('responds with 404 to the group id %s', async (id) => {
    expect(await (await startDirectory(0)).send({ path: `/Groups/${id}` })).toMatchObject({
      status: 404,
      body: { status: '404' },
    })
  })

  test('membership is written through the group and shown with the member', async () => {
    const directory = await startDirectory(1)
    const [person = ''] = directory.users
    const before = await directory.send({ path: `/Users/${person}` })
    const id = await directory.createGroup(aGroup([person]))

    const after = await directory.send({ path: `/Users/${person}` })

    expect(before.body).not.toHaveProperty('groups')
    expect(after.body).toMatchObject({
      groups: [{ value: id, $ref: `${base}/Groups/${id}`, display: 'Ops', type: 'direct' }],
    })
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    const written = { op: 'add', path: 'groups', value: [{ value: 'another' }] }
    await expectRefusal(
      directory,
      () =>
        directory.send({
          method: 'PATCH',
          path: `/Users/${person}`,
          body: { schemas: [patchOp], Operations: [written] },
        }),
      { status: 400, scimType: 'mutability', reason: 'attribute_read_only' },
    )
  })
})

describe('members are read from storage only if the response shows them (RFC 7644 §3.9)', () => {
  test.each([
    ['GET without members', 'GET', '?excludedAttributes=members'],
    ['GET of the name', 'GET', '?attributes=displayName'],
    ['GET without members, in another case, by URN', 'GET', `?excludedattributes=${groupSchema}:MEMBERS`],
    ['PUT that returns the name', 'PUT', '?attributes=displayName'],
    ['PATCH without members', 'PATCH', '?excludedAttributes=members'],
  ])('%s does not read members', async (_, method, query) => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup(aGroup(directory.users))
    directory.forgetCalls()
    const bodies: Readonly<Record<string, object>> = {
      PUT: aGroup(directory.users),
      PATCH: { schemas: [patchOp], Operations: [{ op: 'remove', path: `members[value eq "${directory.users[0]}"]` }] },
    }

    const reply = await directory.send({
      method,
      path: `/Groups/${id}${query}`,
      ...(bodies[method] === undefined ? {} : { body: bodies[method] }),
    })

    expect(reply).toMatchObject({ status: 200, body: { id, displayName: 'Ops' } })
    expect(reply.body).not.toHaveProperty('members')
    expect(directory.calls.membersOf).toBe(0)
  })

  test('finds a group by its name without reading its members', async () => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup(aGroup(directory.users))
    directory.forgetCalls()

    const list = await directory.send({ path: '/Groups?excludedAttributes=members&filter=displayName eq "ops"' })

    expect(list).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id, displayName: 'Ops' }] } })
    expect(JSON.stringify(list.body)).not.toContain('members')
    expect(directory.calls.membersOf).toBe(0)
  })

  test.each(['', '?attributes=members', '?attributes=members.value'])(
    'reads members once for GET /Groups/{id}%s',
    async (query) => {
      const directory = await startDirectory(2)
      const id = await directory.createGroup(aGroup(directory.users))
      directory.forgetCalls()

      expect(valuesOf(await directory.send({ path: `/Groups/${id}${query}` }))).toEqual(directory.users.toSorted())
      expect(directory.calls.membersOf).toBe(1)
    },
  )
})

describe('replace', () => {
  test('clears omitted attributes and members; ignores id and meta of the body (RFC 7644 §3.5.1)', async () => {
    const directory = await startDirectory(1)
    const id = await directory.createGroup({ ...aGroup(directory.users), externalId: 'g1' })
    directory.clock.advance(60)

    const reply = await directory.send({
      method: 'PUT',
      path: `/Groups/${id}`,
      body: { schemas: [groupSchema], id: 'x', displayName: 'Dev', meta: { version: 'x' } },
    })

    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      id,
      displayName: 'Dev',
      meta: { created: '2026-09-21T14:13:20.000Z', lastModified: '2026-09-21T14:14:20.000Z', version: 'W/"2"' },
    })
    expect(Object.keys(reply.body ?? {})).toEqual(['schemas', 'id', 'displayName', 'meta'])
    expect(directory.events.at(-1)).toMatchObject({ type: 'group.changed', groupId: id })
  })

  test('a repeated PUT changes neither version nor date and records no event (RFC 7644 §3.5.2.1)', async () => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup(aGroup(directory.users))
    const before = directory.dump()
    const events = directory.events.length
    directory.clock.advance(60)

    const reply = await directory.send({
      method: 'PUT',
      path: `/Groups/${id}`,
      body: aGroup(directory.users.toReversed()),
    })

    expect(reply).toMatchObject({
      status: 200,
      body: { meta: { version: 'W/"1"', lastModified: '2026-09-21T14:13:20.000Z' } },
    })
    expect(directory.dump()).toBe(before)
    expect(directory.events).toHaveLength(events)
  })

  test('adds and removes members, and refuses to change the type of an existing one (RFC 7643 §4.2)', async () => {
    const directory = await startDirectory(2)
    const [one = '', two = ''] = directory.users
    const id = await directory.createGroup(aGroup([one]))
    const put = (type: string) =>
      directory.send({
        method: 'PUT',
        path: `/Groups/${id}`,
        body: { ...aGroup(), members: [{ value: one, type }, { value: two }] },
      })

    await expectRefusal(directory, () => put('Group'), {
      status: 400,
      scimType: 'mutability',
      reason: 'attribute_immutable',
    })
    expect(valuesOf(await put('user'))).toEqual([one, two].toSorted())
  })

  test('never creates a group (RFC 7644 §3.5.1)', async () => {
    const directory = await startDirectory(0)

    await expectRefusal(directory, () => directory.send({ method: 'PUT', path: '/Groups/none', body: aGroup() }), {
      status: 404,
      reason: 'resource_not_found',
    })
  })

  test('refuses the externalId of another group (RFC 7644 §3.12 uniqueness)', async () => {
    const directory = await startDirectory(1)
    await directory.createGroup({ ...aGroup(), externalId: 'g1' })
    const id = await directory.createGroup({ ...aGroup(), externalId: 'g2' })
    const taken: ExpectedRefusal = { status: 409, scimType: 'uniqueness', reason: 'external_id_taken' }

    await expectRefusal(
      directory,
      () => directory.send({ method: 'PUT', path: `/Groups/${id}`, body: { ...aGroup(), externalId: 'g1' } }),
      taken,
    )
    await expectRefusal(
      directory,
      () =>
        directory.patch(
          id,
          { op: 'replace', path: 'externalId', value: 'g1' },
          { op: 'add', path: 'members', value: [{ value: directory.users[0] }] },
        ),
      taken,
    )
  })
})

describe('preconditions (RFC 7644 §3.14)', () => {
  test.each<[string, Partial<Parameters<Directory['send']>[0]>]>([
    ['PUT', { method: 'PUT', body: aGroup() }],
    ['PATCH', { method: 'PATCH', body: { schemas: [patchOp], Operations: [{ op: 'remove', path: 'members' }] } }],
    ['DELETE', { method: 'DELETE' }],
  ])('%s is refused for an outdated version and applied for the current one', async (_, sent) => {
    const directory = await startDirectory(1)
    const id = await directory.createGroup(aGroup(directory.users))
    const path = `/Groups/${id}`
    await directory.patch(id, { op: 'replace', path: 'displayName', value: 'Dev' })

    await expectRefusal(directory, () => directory.send({ ...sent, path, headers: { 'if-match': 'W/"1"' } }), {
      status: 412,
      reason: 'version_mismatch',
    })
    expect((await directory.send({ ...sent, path, headers: { 'if-match': 'W/"7", W/"2"' } })).status).toBeLessThan(300)
  })

  test('applies one of two concurrent PATCH requests with the same If-Match version', async () => {
    const directory = await startDirectory(2)
    const id = await directory.createGroup()
    const add = (value: string | undefined) =>
      directory.send({
        method: 'PATCH',
        path: `/Groups/${id}`,
        headers: { 'if-match': 'W/"1"' },
        body: { schemas: [patchOp], Operations: [{ op: 'add', path: 'members', value: [{ value }] }] },
      })

    const replies = await Promise.all(directory.users.map(add))

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204, 412]))
    expect(await directory.memberIds(id)).toHaveLength(1)
  })
})

describe('remove', () => {
  test('every later request is 404, the externalId can be reused, and memberships are removed', async () => {
    const directory = await startDirectory(1)
    const [person = ''] = directory.users
    const inner = await directory.createGroup({ ...aGroup([person]), externalId: 'g1' })
    const outer = await directory.createGroup(aGroup([inner]))
    const path = `/Groups/${inner}`

    expect(await directory.send({ method: 'DELETE', path })).toMatchObject({ status: 204, body: undefined })

    expect(directory.events.at(-1)).toMatchObject({ type: 'group.removed', groupId: inner })
    for (const method of ['GET', 'DELETE'])
      await expectRefusal(directory, () => directory.send({ method, path }), {
        status: 404,
        reason: 'resource_not_found',
      })
    expect(await directory.send({ path: '/Groups' })).toMatchObject({ body: { totalResults: 1 } })
    expect(await directory.send({ path: `/Groups/${outer}` })).toMatchObject({ body: { meta: { version: 'W/"2"' } } })
    expect(await directory.memberIds(outer)).toEqual([])
    expect((await directory.send({ path: `/Users/${person}` })).body).not.toHaveProperty('groups')
    expect(await directory.createGroup({ ...aGroup(), externalId: 'g1' })).not.toBe(inner)
  })

  test('removing a user removes the user from its groups and changes the version of the groups', async () => {
    const directory = await startDirectory(2)
    const [kept = '', removed = ''] = directory.users
    const id = await directory.createGroup(aGroup([kept, removed]))

    await directory.send({ method: 'DELETE', path: `/Users/${removed}` })

    const group = await directory.send({ path: `/Groups/${id}` })
    expect(valuesOf(group)).toEqual([kept])
    expect(group.headers.get('etag')).toBe('W/"2"')
  })

  test('of 50 concurrent DELETE requests, one succeeds (RFC 7644 §3.6)', async () => {
    const directory = await startDirectory(0)
    const path = `/Groups/${await directory.createGroup()}`

    const replies = await Promise.all(Array.from({ length: 50 }, () => directory.send({ method: 'DELETE', path })))

    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49)
    expect(directory.events.filter(({ type }) => type === 'group.removed')).toHaveLength(1)
  })
})
