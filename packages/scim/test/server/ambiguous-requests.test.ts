import { describe, expect, test } from 'vitest'

import type { ToleranceProfile } from '../../src/index.ts'
import { idOf, type ScimReply, type ScimUnderTest, startScim } from '../fixtures/scim-under-test.ts'

// Requests that the RFCs forbid or leave open, as docs/adr/0022 decides them.

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const bulkRequest = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'

const tolerant: readonly ToleranceProfile[] = ['general', 'entra', 'okta', 'oneLogin', 'all']

const create = (scim: ScimUnderTest, body: object = {}): Promise<ScimReply> =>
  scim.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: 'kim', ...body } })

const patch = (scim: ScimUnderTest, path: string, ...operations: readonly object[]): Promise<ScimReply> =>
  scim.send({ method: 'PATCH', path, body: { schemas: [patchOp], Operations: operations } })

/** Expects that a request is refused for a reason, and stores nothing. */
async function expectRefused(scim: ScimUnderTest, send: () => Promise<ScimReply>, reason: string): Promise<void> {
  const users = async () => (await scim.send({ path: '/Users' })).body
  const before = await users()

  expect((await send()).status).toBe(400)

  expect(scim.lastReason()).toBe(reason)
  expect(await users()).toEqual(before)
}

describe('a body without the schema of its endpoint', () => {
  const replaceTitle = [{ op: 'replace', path: 'title', value: 'Chair' }]

  test.each(tolerant)('profile %s: is read as the endpoint requires (RFC 7643 §3, RFC 7644 §3.1)', async (profile) => {
    const scim = await startScim({ toleranceProfile: profile })

    const created = await create(scim, { schemas: undefined })
    expect(created.status).toBe(201)
    for (const schemas of [undefined, [], [core]]) {
      const body = { schemas, Operations: replaceTitle }
      expect(await scim.send({ method: 'PATCH', path: `/Users/${idOf(created)}`, body })).toMatchObject({
        status: 200,
        body: { title: 'Chair' },
      })
    }
  })

  test('profile strict: is refused (RFC 7643 §3, RFC 7644 §3.1)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const path = `/Users/${idOf(await create(scim))}`

    await expectRefused(scim, () => create(scim, { schemas: undefined, userName: 'lou' }), 'schemas_missing')
    for (const schemas of [undefined, [], [core]]) {
      const body = { schemas, Operations: replaceTitle }
      await expectRefused(scim, () => scim.send({ method: 'PATCH', path, body }), 'schemas_missing')
    }
    const bulk = { Operations: [{ method: 'DELETE', path }] }
    await expectRefused(scim, () => scim.send({ method: 'POST', path: '/Bulk', body: bulk }), 'schemas_missing')
  })
})

test.each(['strict', 'general'] as const)(
  'profile %s: refuses to select members by type if the same request adds members (RFC 7644 §3.5.2)',
  async (toleranceProfile) => {
    const scim = await startScim({ toleranceProfile })
    const user = idOf(await create(scim))
    const [outer, inner] = await Promise.all(
      ['outer', 'inner'].map(async (displayName) =>
        idOf(await scim.send({ method: 'POST', path: '/Groups', body: { schemas: [groupSchema], displayName } })),
      ),
    )
    const path = `/Groups/${outer}`
    const add = { op: 'add', path: 'members', value: [{ value: user }, { value: inner }] }
    const membersOf = async () => (await scim.send({ path })).body?.['members']

    for (const filter of ['type eq "Group"', 'type ne "User"']) {
      const reply = await patch(scim, path, add, { op: 'remove', path: `members[${filter}]` })

      expect([reply.status, scim.lastReason()]).toEqual([400, 'filter_attribute_unsearchable'])
      expect(await membersOf()).toBeUndefined()
    }
    await patch(scim, path, add)
    await patch(scim, path, { op: 'remove', path: 'members[type eq "Group"]' })
    expect(await membersOf()).toMatchObject([{ value: user }])
  },
)

describe('Bulk', () => {
  const bulk = (scim: ScimUnderTest, body: object) =>
    scim.send({ method: 'POST', path: '/Bulk', body: { schemas: [bulkRequest], ...body } })
  const post = (bulkId: string, data: object) => ({
    method: 'POST',
    path: '/Users',
    bulkId,
    data: { schemas: [core], userName: bulkId, ...data },
  })

  test('a text that looks like a reference stays in an attribute that holds none (RFC 7644 §3.7.2)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    await bulk(scim, { Operations: [post('a', { displayName: 'bulkId:b' }), post('b', { title: 'bulkId:nobody' })] })

    expect((await scim.send({ path: '/Users?sortBy=userName' })).body).toMatchObject({
      Resources: [{ displayName: 'bulkId:b' }, { title: 'bulkId:nobody' }],
    })
  })

  test('failOnErrors 0 means the same as no failOnErrors (RFC 7644 §3.7)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const Operations = [post('a', { userName: '' }), post('b', { userName: '' }), post('c', {})]

    const { body } = await bulk(scim, { failOnErrors: 0, Operations })

    expect(body).toMatchObject({ Operations: [{ status: '400' }, { status: '400' }, { status: '201' }] })
  })
})

test.each([
  ['application/scim+json; charset=utf8', 201],
  ['application/json; charset=us-ascii', 201],
  ['application/scim+json; charset=ISO-8859-1', 201],
  ['application/scim+json; charset=utf-16', 415],
  ['', 415],
])('answers a body with the Content-Type %j with %i (RFC 7644 §3.1, RFC 8259 §8.1)', async (contentType, status) => {
  const scim = await startScim({ toleranceProfile: 'strict' })

  const reply = await scim.send({
    method: 'POST',
    path: '/Users',
    headers: { 'content-type': contentType },
    body: { schemas: [core], userName: 'kim' },
  })

  expect(reply.status).toBe(status)
  expect(scim.lastReason()).toBe(status === 415 ? 'media_type' : undefined)
})

describe('values of a list', () => {
  const twoPrimary = [
    { value: 'a@example.com', primary: true },
    { value: 'b@example.com', primary: true },
  ]

  test.each(['entra', 'okta', 'oneLogin', 'all'] as const)(
    'profile %s: the first of two primary values stays primary, and a value needs no list (RFC 7643 §2.4)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const [first, second] = twoPrimary

      const created = await create(scim, { emails: twoPrimary })
      expect(created.body).toMatchObject({ emails: [first, { ...second, primary: false }] })
      const path = `/Users/${idOf(created)}`
      const put = { schemas: [core], userName: 'kim', emails: second }
      expect((await scim.send({ method: 'PUT', path, body: put })).body).toMatchObject({ emails: [second] })
      const replace = { op: 'replace', path: 'emails', value: first }
      expect((await patch(scim, path, replace)).body).toMatchObject({ emails: [first] })
      expect((await create(scim, { userName: 'lou', emails: first })).body).toMatchObject({ emails: [first] })
    },
  )

  test.each(['strict', 'general'] as const)(
    'profile %s: refuses two primary values, and a value without a list except in an add (RFC 7643 §2.4)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const path = `/Users/${idOf(await create(scim))}`
      const [value] = twoPrimary
      const body = { schemas: [core], userName: 'kim', emails: value }

      await expectRefused(scim, () => create(scim, { userName: 'lou', emails: twoPrimary }), 'value_primary_twice')
      await expectRefused(scim, () => create(scim, { userName: 'lou', emails: value }), 'value_type')
      await expectRefused(scim, () => scim.send({ method: 'PUT', path, body }), 'value_type')
      await expectRefused(scim, () => patch(scim, path, { op: 'replace', path: 'emails', value }), 'value_type')
      expect((await patch(scim, path, { op: 'add', path: 'emails', value })).body).toMatchObject({ emails: [value] })
    },
  )
})

test.each([...tolerant, 'strict'] as const)(
  'profile %s: an empty path of a PATCH operation means none, and strict refuses it (RFC 7644 §3.5.2)',
  async (toleranceProfile) => {
    const scim = await startScim({ toleranceProfile })
    const path = `/Users/${idOf(await create(scim))}`
    const send = () => patch(scim, path, { op: 'replace', path: '', value: { title: 'Chair' } })

    if (toleranceProfile === 'strict') return expectRefused(scim, send, 'path_syntax')
    expect(await send()).toMatchObject({ status: 200, body: { title: 'Chair' } })
    return expectRefused(scim, () => patch(scim, path, { op: 'remove', path: '' }), 'path_missing')
  },
)
