import { providerId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, onTestFinished, test } from 'vitest'

import { rounds } from '../../../../test/support/rounds.ts'
import { createScimServer, oktaRoleResourceType, type ScimServerOptions } from '../../src/index.ts'
import { aDevice, deviceType, roles } from '../fixtures/custom-types.ts'
import { aGroup, expectRefusal, groupSchema, startDirectory } from '../fixtures/directory-under-test.ts'
import { idOf, issuer, startScim } from '../fixtures/scim-under-test.ts'

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const aUser = (userName: string) => ({ schemas: [userSchema], userName })

const join = (...members: readonly string[]) => ({
  op: 'add',
  path: 'members',
  value: members.map((value) => ({ value })),
})

test('refuses a user beyond the number that a provider may have (RFC 7644 §3.12)', async () => {
  const directory = await startDirectory(4, 'general', { limits: { users: 5 } })
  const post = (userName: string, provider = 'T1') =>
    directory.send({ method: 'POST', path: '/Users', provider, body: aUser(userName) })
  const last = await post('last')

  await expectRefusal(directory, () => post('one-more'), { status: 403, reason: 'resources_too_many' })

  expect((await post('of-another', 'T2')).status).toBe(201)
  await directory.send({ method: 'DELETE', path: `/Users/${idOf(last)}` })
  expect((await post('one-more')).status).toBe(201)
})

test('a server that has just started counts the users that a provider already has (RFC 7644 §3.12)', async () => {
  const scim = await startScim({ limits: { users: 1 } })
  const post = (server: Pick<typeof scim, 'send'>, userName: string) =>
    server.send({ method: 'POST', path: '/Users', body: aUser(userName) })
  expect((await post(scim, 'first')).status).toBe(201)
  const restarted = scim.startAnother({ storage: scim.storage })

  const statuses = [(await post(restarted, 'second')).status, (await post(restarted, 'third')).status]

  expect(statuses).toEqual([403, 403])
})

test('answers a repeated POST with the user that the first one created, even if the provider has reached its limit of users (RFC 7644 §3.3)', async () => {
  const directory = await startDirectory(0, 'general', { limits: { users: 1 } })
  const post = (userName: string, externalId?: string) =>
    directory.send({ method: 'POST', path: '/Users', body: { ...aUser(userName), externalId } })
  const first = await post('ann', 'hr-1')
  const before = directory.dump()

  expect(await post('ann', 'hr-1')).toMatchObject({ status: 201, body: { id: idOf(first) } })

  expect(directory.dump()).toBe(before)
  const tooMany = { status: 403, reason: 'resources_too_many' } as const
  await expectRefusal(directory, () => post('bea', 'hr-2'), tooMany)
  await expectRefusal(directory, () => post('ANN'), { status: 409, scimType: 'uniqueness', reason: 'user_name_taken' })
  await expectRefusal(directory, () => post('bea', 'hr-1'), {
    status: 409,
    scimType: 'uniqueness',
    reason: 'external_id_taken',
  })
})

test('recounts the users of a provider each time that a tenth of the remaining quota has been used', async () => {
  const scim = await startScim({ limits: { users: 40 } })
  let totals = 0
  const counted = scim.startAnother({
    storage: {
      ...scim.storage,
      provisionedUsers: {
        ...scim.storage.provisionedUsers,
        list: (query) => {
          // A query with a filter looks for the user of a repeated request.
          if (query.filter === undefined) totals += 1
          return scim.storage.provisionedUsers.list(query)
        },
      },
    },
  })
  const statuses: number[] = []

  for (let number = 0; number < 42; number += 1) {
    const { status } = await counted.send({ method: 'POST', path: '/Users', body: aUser(`user-${number}`) })
    statuses.push(status)
  }

  expect(statuses.filter((status) => status === 201)).toHaveLength(40)
  expect(statuses.slice(40)).toEqual([403, 403])
  expect(totals).toBeLessThan(30)
})

test('refuses a group beyond the number that a provider may have (RFC 7644 §3.12)', async () => {
  const directory = await startDirectory(1, 'general', { limits: { groups: 1 } })
  await directory.createGroup()

  await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Groups', body: aGroup() }), {
    status: 403,
    reason: 'resources_too_many',
  })
})

test('says that a group exists before it says that the provider may have no more groups (RFC 7644 §3.3)', async () => {
  const directory = await startDirectory(0, 'general', { limits: { groups: 1 }, uniqueGroupNames: () => true })
  const post = (displayName: string, externalId?: string) =>
    directory.send({ method: 'POST', path: '/Groups', body: { schemas: [groupSchema], displayName, externalId } })
  expect((await post('Staff', 'hr-1')).status).toBe(201)

  const taken = { status: 409, scimType: 'uniqueness' } as const
  await expectRefusal(directory, () => post('Others', 'hr-1'), { ...taken, reason: 'external_id_taken' })
  await expectRefusal(directory, () => post('staff', 'hr-2'), { ...taken, reason: 'group_name_taken' })
  await expectRefusal(directory, () => post('Others', 'hr-2'), { status: 403, reason: 'resources_too_many' })
})

test('says that a resource of a custom type exists before it says that the provider may have no more of them (RFC 7644 §3.3)', async () => {
  const resourceTypes = [deviceType, { resourceType: oktaRoleResourceType, resources: roles }]
  const directory = await startDirectory(1, 'general', { limits: { customResources: 1 }, resourceTypes })
  const post = (externalId: string) =>
    directory.send({ method: 'POST', path: '/Devices', body: aDevice({ externalId }) })
  expect((await post('d-1')).status).toBe(201)

  const taken = { status: 409, scimType: 'uniqueness', reason: 'external_id_taken' } as const
  await expectRefusal(directory, () => post('d-1'), taken)
  await expectRefusal(directory, () => post('d-2'), { status: 403, reason: 'resources_too_many' })
})

test('refuses a resource of a custom type beyond the number that a provider may have (RFC 7644 §3.12)', async () => {
  const resourceTypes = [deviceType, { resourceType: oktaRoleResourceType, resources: roles }]
  const directory = await startDirectory(1, 'general', { limits: { customResources: 1 }, resourceTypes })
  const post = () => directory.send({ method: 'POST', path: '/Devices', body: aDevice({}) })
  expect((await post()).status).toBe(201)

  await expectRefusal(directory, post, { status: 403, reason: 'resources_too_many' })
})

test('refuses members beyond the number that a group may have, however they are added (RFC 7644 §3.12)', async () => {
  const directory = await startDirectory(4, 'general', { limits: { groupMembers: 2 } })
  const [one = '', two = '', three = '', four = ''] = directory.users
  const id = await directory.createGroup(aGroup([one]))
  const refused = { status: 400, scimType: 'invalidValue', reason: 'members_too_many' } as const
  const body = aGroup([one, two, three])

  await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Groups', body }), refused)
  await expectRefusal(directory, () => directory.send({ method: 'PUT', path: `/Groups/${id}`, body }), refused)
  await expectRefusal(directory, () => directory.patch(id, join(two, three)), refused)
  await expectRefusal(
    directory,
    () => directory.patch(id, { op: 'remove', path: `members[value eq "${four}"]` }, join(two, three)),
    refused,
  )
  await expectRefusal(directory, () => directory.patch(id, { ...join(one, two, three), op: 'replace' }), refused)

  expect((await directory.patch(id, join(two))).status).toBe(204)
  expect((await directory.patch(id, { ...join(three, four), op: 'replace' })).status).toBe(204)
  expect(await directory.memberIds(id)).toEqual([three, four].toSorted())
})

test('stores as many members in one message as the limits allow, and counts them (RFC 7644 §3.12)', async () => {
  const most = rounds({ fast: 2002, long: 100_002 })
  const limits = { groupMembers: most, payloadBytes: 16 * 1024 * 1024, work: 100_000_000 }
  const directory = await startDirectory(0, 'general', { limits })
  const ids = Array.from({ length: most + 1 }, (_, index) => `u${index}`)
  for (const id of ids)
    await directory.storage.provisionedUsers.insert(
      aProvisionedUser(id, { userId: userId(id), providerId: providerId('T1') }),
    )
  // Each member counts as one value, and has five.
  const members = ids.map((value) => ({ value, $ref: `../Users/${value}`, type: 'User', display: 'x', primary: false }))
  const group = { ...aGroup(), members }

  const id = await directory.createGroup({ ...group, members: members.slice(0, most - 1) })
  // The test of the kind of each member reads all of them.
  const remove = { op: 'remove', path: 'members[value co "u999" and type eq "Group"]' }
  expect((await directory.patch(id, remove, join(`u${most - 1}`))).status).toBe(204)
  const put = await directory.send({
    method: 'PUT',
    path: `/Groups/${id}?excludedAttributes=members`,
    body: { ...group, members: members.slice(1) },
  })
  expect(put.status).toBe(200)
  expect((await directory.patch(id, join('u0'))).body).toMatchObject({ status: '400', scimType: 'invalidValue' })
  expect(directory.lastReason()).toBe('members_too_many')

  expect(await directory.memberIds(id)).toHaveLength(most)
}, 120_000)

test('refuses a PATCH of more operations than the limit, and accepts as many (RFC 9110 §15.5.14)', async () => {
  const directory = await startDirectory(1, 'general', { limits: { patchOperations: 1001 } })
  const [id = ''] = directory.users
  const patch = (count: number) =>
    directory.send({
      method: 'PATCH',
      path: `/Users/${id}`,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: Array.from({ length: count }, (_, index) => ({ op: 'replace', path: 'title', value: `t${index}` })),
      },
    })

  await expectRefusal(directory, () => patch(1002), { status: 413, reason: 'operations_too_many' })

  expect(await patch(1001)).toMatchObject({ status: 200, body: { title: 't1000' } })
})

test('refuses a Bulk request of more operations than the published limit, and accepts as many (RFC 7644 §3.7.4)', async () => {
  const directory = await startDirectory(0, 'general', { limits: { bulkOperations: 2 } })
  const bulk = (count: number, failOnErrors = count) =>
    directory.send({
      method: 'POST',
      path: '/Bulk',
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        failOnErrors,
        Operations: Array.from({ length: count }, (_, index) => ({
          method: 'POST',
          path: '/Users',
          bulkId: `${index}`,
          data: aUser(`bulk-${index}`),
        })),
      },
    })

  await expectRefusal(directory, () => bulk(3, 1), { status: 413, reason: 'bulk_too_large' })
  await expectRefusal(directory, () => bulk(2, 3), {
    status: 400,
    scimType: 'invalidSyntax',
    reason: 'bulk_errors_malformed',
  })

  const { body } = await directory.send({ path: '/ServiceProviderConfig' })
  expect(body).toMatchObject({ bulk: { supported: true, maxOperations: 2 } })
  expect((await bulk(2)).body).toMatchObject({ Operations: [{ status: '201' }, { status: '201' }] })
})

test.each([
  ['patchOperations', 0],
  ['patchOperations', 100_001],
  ['bulkOperations', 0],
  ['bulkOperations', 10_001],
  ['groupMembers', 0],
])('does not start with the limit %s %d', async (name, value) => {
  const { storage } = await startScim()

  expect(() => createScimServer({ issuer, storage, limits: { [name]: value } })).toThrow(name)
})

test('refuses a member who is already in the maximum number of groups (RFC 7644 §3.12)', async () => {
  const directory = await startDirectory(2, 'general', { limits: { groupsOfMember: 2 } })
  const [one = '', two = ''] = directory.users
  const first = await directory.createGroup(aGroup([one]))
  await directory.createGroup(aGroup([one]))
  const id = await directory.createGroup()
  const refused = { status: 400, scimType: 'invalidValue', reason: 'memberships_too_many' } as const
  const body = aGroup([two, one])

  await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Groups', body }), refused)
  await expectRefusal(directory, () => directory.send({ method: 'PUT', path: `/Groups/${id}`, body }), refused)
  await expectRefusal(directory, () => directory.patch(id, join(two, one)), refused)

  // An existing member may be added again.
  expect((await directory.patch(first, join(one))).status).toBe(204)
  expect((await directory.patch(id, join(two))).status).toBe(204)
})

test('refuses a group that, without its members, is larger than the limit (RFC 9110 §15.5.14)', async () => {
  const directory = await startDirectory(4, 'general', { limits: { resourceBytes: 200 } })
  const id = await directory.createGroup(aGroup(directory.users))
  const refused = { status: 413, reason: 'resource_too_large' } as const
  const body = { schemas: [groupSchema], displayName: 'a'.repeat(200) }

  await expectRefusal(directory, () => directory.send({ method: 'POST', path: '/Groups', body }), refused)
  await expectRefusal(directory, () => directory.send({ method: 'PUT', path: `/Groups/${id}`, body }), refused)
  const rename = { op: 'replace', path: 'displayName', value: 'a'.repeat(200) }
  await expectRefusal(directory, () => directory.patch(id, rename), refused)
})

test.for<readonly [path: string, body: object]>([
  ['/Users', aUser('a'.repeat(100))],
  ['/Groups', { schemas: [groupSchema], displayName: 'a'.repeat(100) }],
  ['/Devices', aDevice({ displayName: 'a'.repeat(100) })],
])(
  'accepts a resource below %s of exactly the maximum size, and no larger one (RFC 9110 §15.5.14)',
  async ([path, body]) => {
    const limits = { resourceBytes: JSON.stringify(body).length }
    const resourceTypes = [deviceType, { resourceType: oktaRoleResourceType, resources: roles }]
    const directory = await startDirectory(0, 'general', { limits, resourceTypes })
    const post = (more: object) => directory.send({ method: 'POST', path, body: { ...body, ...more } })
    const tooLarge = { [path === '/Users' ? 'userName' : 'displayName']: 'a'.repeat(101) }

    await expectRefusal(directory, () => post(tooLarge), { status: 413, reason: 'resource_too_large' })

    expect((await post({})).status).toBe(201)
  },
)

test.for(['users', 'groups', 'customResources', 'groupMembers', 'groupsOfMember', 'totalBytesAtOnce'] as const)(
  'refuses to start with limits.%s set to 0',
  async (name) => {
    const { storage } = await startScim()
    const options: ScimServerOptions = { issuer, storage, limits: { [name]: 0 } }

    expect(() => createScimServer(options)).toThrow(`limits.${name} must be a whole number, 1 or more.`)
  },
)

test('shows a group with so many members that it is rendered as bytes, alone and in a page', async () => {
  const directory = await startDirectory(1101)
  const id = await directory.createGroup(aGroup(directory.users))
  const small = await directory.createGroup(aGroup(directory.users.slice(0, 2)))

  const one = await directory.send({ path: `/Groups/${id}` })
  const page = await directory.send({ path: '/Groups' })
  const head = await directory.send({ method: 'HEAD', path: `/Groups/${id}` })

  const membersOf = (group: unknown) =>
    (group as { readonly members: readonly { readonly value: string }[] }).members.map(({ value }) => value)
  expect(membersOf(one.body)).toEqual(directory.users.toSorted())
  const resources = page.body?.['Resources'] as readonly { readonly id: string }[]
  expect(new Set(resources.map((group) => group.id))).toEqual(new Set([id, small]))
  expect(resources.find((group) => group.id === id)).toEqual(one.body)
  expect(membersOf(resources.find((group) => group.id === small))).toHaveLength(2)
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1101 * 60)
})

test('a read stops when its client has disconnected, but a write continues', async () => {
  const directory = await startDirectory(3)
  const id = await directory.createGroup(aGroup(directory.users))
  const controller = new AbortController()
  controller.abort()
  const signal = () => controller.signal
  directory.forgetCalls()
  const { events } = directory

  const read = await directory.send({ path: `/Groups/${id}`, signal })
  const searched = await directory.send({
    method: 'POST',
    path: '/.search',
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] },
    signal,
  })
  const [one = ''] = directory.users
  const remove = { op: 'remove', path: `members[value eq "${one}"]` }
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [remove] }
  const written = await directory.send({ method: 'PATCH', path: `/Groups/${id}`, body, signal })

  expect([read.body, searched.body]).toEqual([undefined, undefined])
  expect(directory.calls.membersOf).toBe(0)
  expect(events.filter(({ type }) => type === 'request.refused')).toEqual([])
  expect(written.status).toBe(204)
  expect(await directory.memberIds(id)).toHaveLength(2)
})

test('refuses a PATCH of a user whose operations exceed the work limit (RFC 9110 §15.5.14)', async () => {
  const directory = await startDirectory(1, 'general', { limits: { work: 40 } })
  const [id = ''] = directory.users
  const values = Array.from({ length: 10 }, (_, index) => ({ value: `a${index}@example.com`, type: `t${index}` }))
  const select = { op: 'replace', path: 'emails[type eq "t1" or type eq "t2" or type eq "t3"].display', value: 'x' }
  const patch = (operations: readonly object[]) =>
    directory.send({
      method: 'PATCH',
      path: `/Users/${id}`,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
    })
  expect((await patch([{ op: 'replace', path: 'emails', value: values }])).status).toBe(200)

  await expectRefusal(directory, () => patch(Array.from({ length: 40 }, () => select)), {
    status: 413,
    reason: 'operations_too_many',
  })

  expect((await patch([select])).status).toBe(200)
})

test('refuses a PATCH that would compare too many members, without reading them (RFC 9110 §15.5.14)', async () => {
  const directory = await startDirectory(6, 'general', { limits: { work: 12 } })
  const id = await directory.createGroup(aGroup(directory.users))
  const remove = { op: 'remove', path: 'members[type eq "user" and value co "x"]' }
  const patch = (operations: readonly object[]) =>
    directory.send({
      method: 'PATCH',
      path: `/Groups/${id}`,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
    })

  await expectRefusal(directory, () => patch(Array.from({ length: 10 }, () => remove)), {
    status: 413,
    reason: 'operations_too_many',
  })

  directory.forgetCalls()
  expect((await patch(Array.from({ length: 10 }, () => remove))).status).toBe(413)
  expect(directory.calls.membersOf).toBe(0)
  expect((await patch([remove])).status).toBe(204)
})

test('reads the members of one large group at a time when two would exceed the memory limit', async () => {
  const directory = await startDirectory(250, 'general', { limits: { totalBytesAtOnce: 100_000 } })
  const id = await directory.createGroup(aGroup(directory.users))
  const { groups } = directory.storage
  let reading = 0
  let maximum = 0
  const watched = directory.startAnother({
    limits: { totalBytesAtOnce: 100_000 },
    storage: {
      ...directory.storage,
      groups: {
        ...groups,
        membersOf: async (...args) => {
          reading += 1
          maximum = Math.max(maximum, reading)
          try {
            return await groups.membersOf(...args)
          } finally {
            reading -= 1
          }
        },
      },
    },
  })

  const answers = await Promise.all([1, 2, 3].map(async () => watched.send({ path: `/Groups/${id}` })))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(maximum).toBe(1)
})

test('reads the long filters of simultaneous searches in different rounds of the event loop (RFC 7644 §3.12)', async () => {
  const scim = await startScim()
  let round = 0
  let next: NodeJS.Immediate
  const countRounds = (): void => {
    round += 1
    next = setImmediate(countRounds)
  }
  countRounds()
  onTestFinished(() => clearImmediate(next))
  // Refused as soon as it is read: it does not end.
  const filter = encodeURIComponent(`${'id pr and '.repeat(300)}id`)

  const rounds = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { status } = await scim.send({ path: `/Users?filter=${filter}` })
      return { status, round }
    }),
  )

  expect(rounds.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
  expect(new Set(rounds.map(({ round }) => round)).size).toBe(5)
})

test('deactivates a user whose stored resource exceeds a limit that was lowered later (RFC 7644 §3.5.2)', async () => {
  const scim = await startScim()
  const created = await scim.send({ method: 'POST', path: '/Users', body: { ...aUser('ann'), title: 'x'.repeat(900) } })
  const strict = scim.startAnother({ limits: { resourceBytes: 500 } })
  const patch = (...Operations: readonly object[]) =>
    strict.send({ method: 'PATCH', path: `/Users/${idOf(created)}`, body: { schemas: [patchSchema], Operations } })
  const deactivate = { op: 'replace', path: 'active', value: false }

  const renamed = await patch(deactivate, { op: 'replace', path: 'displayName', value: 'Ann' })
  const reason = scim.lastReason()
  const deactivated = await patch(deactivate)

  expect([renamed.status, reason]).toEqual([413, 'resource_too_large'])
  expect(deactivated).toMatchObject({ status: 200, body: { active: false, title: 'x'.repeat(900) } })
})

test('a PATCH that removes an attribute and sets a password stores the removal (RFC 7644 §3.5.2.2)', async () => {
  const scim = await startScim({ password: async () => {} })
  const created = await scim.send({ method: 'POST', path: '/Users', body: { ...aUser('ann'), title: 'Engineer' } })
  const path = `/Users/${idOf(created)}`

  await scim.send({
    method: 'PATCH',
    path,
    body: {
      schemas: [patchSchema],
      Operations: [
        { op: 'remove', path: 'title' },
        { op: 'add', path: 'password', value: 'hunter2' },
      ],
    },
  })

  expect((await scim.send({ path })).body).not.toHaveProperty('title')
})
