import { expect, test } from 'vitest'

import { aGroup, type Directory, expectRefusal, patchOp, startDirectory } from '../fixtures/directory-under-test.ts'

const bulkRequest = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'

const rename = { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: 'Ada' }] }

test.for([
  ['GET that shows only other attributes', { method: 'GET', path: '?attributes=userName' }, 200],
  ['PATCH whose response omits groups', { method: 'PATCH', path: '?excludedAttributes=groups', body: rename }, 200],
  ['PUT whose response omits groups', { method: 'PUT', path: '?attributes=id', body: replacement() }, 200],
  ['DELETE', { method: 'DELETE', path: '' }, 204],
] as const)('a %s reads no groups of the user (RFC 7644 §3.9)', async ([, { path, ...request }, status]) => {
  const { directory, id, send, read } = await watched()

  const reply = await send({ ...request, path: `/Users/${id}${path}` })

  expect(reply.status).toBe(status)
  expect(reply.headers.get('etag')).toBeUndefined()
  expect(read).not.toContain(1)
  expect(directory.lastReason()).toBeUndefined()
})

test('a Bulk request reads no groups of the users that it writes (RFC 7644 §3.7)', async () => {
  const { id, send, read } = await watched()
  const operations = [
    { method: 'PATCH', path: `/Users/${id}`, data: rename },
    { method: 'PUT', path: `/Users/${id}`, data: replacement() },
    { method: 'POST', path: '/Users', bulkId: 'again', data: replacement() },
    { method: 'DELETE', path: `/Users/${id}` },
  ]

  const reply = await send({ method: 'POST', path: '/Bulk', body: bulk(operations) })

  expect(reply.body).toMatchObject({
    Operations: [{ status: '200' }, { status: '200' }, { status: '201' }, { status: '204' }],
  })
  expect(read).not.toContain(1)
})

test('a write shows the groups of the user, and its version covers them (RFC 7644 §3.14)', async () => {
  const { id, send } = await watched()

  const written = await send({ method: 'PATCH', path: `/Users/${id}`, body: rename })

  const found = await send({ path: `/Users/${id}` })
  expect(written.body).toEqual(found.body)
  expect(written.body).toMatchObject({ groups: [{ display: 'Ops' }] })
  expect(written.headers.get('etag')).toBe(found.headers.get('etag'))
})

test('a user keeps the version in each response while it is in no group (RFC 7644 §3.14)', async () => {
  const { directory, send } = await watched()

  const reply = await send({ path: `/Users/${directory.users[1]}?attributes=userName` })

  expect(reply.headers.get('etag')).toBe('W/"1"')
})

test('a precondition reads the groups that the version covers (RFC 7644 §3.14)', async () => {
  const { directory, id, send } = await watched()
  const found = await send({ path: `/Users/${id}` })
  const patch = (version: string) =>
    directory.send({
      method: 'PATCH',
      path: `/Users/${id}?attributes=id`,
      body: rename,
      headers: { 'if-match': version },
    })

  await expectRefusal(directory, () => patch('W/"1"'), { status: 412, reason: 'version_mismatch' })

  expect((await patch(found.headers.get('etag') ?? '')).status).toBe(200)
})

test.for([
  ['preconditions', { version: '*' }, rename],
  [
    'assignments of groups',
    {},
    { schemas: [patchOp], Operations: [{ op: 'replace', value: { groups: [{ value: 'x' }] } }] },
  ],
] as const)('refuses operations whose %s read too many groups (RFC 9110 §15.5.14)', async ([, more, data]) => {
  const directory = await startDirectory(1, 'general', { limits: { work: 10 } })
  const [id = ''] = directory.users
  await directory.createGroup(aGroup([id]))
  const operations = Array.from({ length: 3 }, () => ({ method: 'PATCH', path: `/Users/${id}`, data, ...more }))
  const before = directory.dump()

  const reply = await directory.send({ method: 'POST', path: '/Bulk', body: bulk([...operations].slice(1)) })
  const refused = await directory.send({ method: 'POST', path: '/Bulk', body: bulk(operations) })

  expect([reply.status, refused.status]).toEqual([200, 200])
  expect(refused.body?.['Operations']).toMatchObject({ 2: { status: '413' } })
  expect(directory.lastReason()).toBe('operations_too_many')
  if (data !== rename) expect(directory.dump()).toBe(before)
})

const bulk = (operations: readonly object[]) => ({ schemas: [bulkRequest], Operations: operations })

function replacement() {
  return { schemas: [userSchema], userName: 'user-0', externalId: 'e0', nickName: 'A' }
}

/** A user with an `externalId` in one group, and how many groups the store returned for each read or write of a user. */
async function watched() {
  const directory = await startDirectory(2)
  const [id = ''] = directory.users
  await directory.send({ method: 'PUT', path: `/Users/${id}`, body: { ...replacement(), nickName: 'B' } })
  await directory.createGroup(aGroup([id]))
  const read: (number | undefined)[] = []
  const { provisionedUsers } = directory.storage
  const seen = <User extends { readonly groups: readonly unknown[] | undefined } | undefined>(user: User): User => {
    if (user !== undefined) read.push(user.groups?.length)
    return user
  }
  const { send } = directory.startAnother({
    storage: {
      ...directory.storage,
      provisionedUsers: {
        ...provisionedUsers,
        find: async (...asked) => seen(await provisionedUsers.find(...asked)),
        findByExternalId: async (...asked) => seen(await provisionedUsers.findByExternalId(...asked)),
        async compareAndSwap(change) {
          const outcome = await provisionedUsers.compareAndSwap(change)
          if (outcome.outcome === 'swapped') seen(outcome.record)
          return outcome
        },
      },
    },
  })
  return { directory, id, send, read } satisfies { readonly directory: Directory } & Record<string, unknown>
}
