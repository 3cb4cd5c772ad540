import { beforeAll, describe, expect, test } from 'vitest'

import { idOf, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

// The requests of the Postman collection in Microsoft's SCIM reference code (AzureAD/SCIMReferenceCode), in its order and with
// invented values. The collection gives several users one externalId; here each has its own.

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

let scim: ScimUnderTest
const ids: Record<string, string> = {}
beforeAll(async () => {
  scim = await startScim({ toleranceProfile: 'entra' })
})

const send = (method: string, path: string, body?: unknown): Promise<ScimReply> =>
  scim.send({ method, path, body, headers: { 'content-type': 'application/json' } })

async function create(name: string, path: string, body: object): Promise<void> {
  const reply = await send('POST', path, body)
  expect(reply.status, name).toBe(201)
  ids[name] = idOf(reply)
}

const patch = (path: string, ...Operations: readonly object[]): Promise<ScimReply> =>
  send('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })

describe("the requests of Microsoft's Postman collection", () => {
  test('serves empty lists, even at a path in lower case, and the discovery endpoints (RFC 7644 §4)', async () => {
    for (const path of ['/users', '/Groups'])
      expect(await send('GET', path)).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } })
    const { body } = await send('GET', '/ResourceTypes')
    expect(body?.['Resources']).toMatchObject([{ endpoint: '/Users' }, { endpoint: '/Groups' }])
    expect((await send('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } })
    expect(JSON.stringify((await send('GET', '/Schemas')).body)).toContain('User Account')
    // The name that the collection uses for ServiceProviderConfig. RFC 7644 §4 does not define it.
    expect(await send('GET', '/serviceConfiguration')).toMatchObject({ status: 404, body: { status: '404' } })
  })

  test('creates users whose attribute names are in Pascal case, with and without the enterprise extension (RFC 7643 §2.1)', async () => {
    const emails = [
      { Primary: true, type: 'work', value: 'kim@x.test' },
      { Primary: false, type: 'home', value: 'kim@home.test' },
    ]
    const name = { formatted: 'Kim Lee', familyName: 'Lee', givenName: 'Kim' }
    const user = (UserName: string) => ({ UserName, Active: true, DisplayName: UserName, name, emails })
    await create('kim', '/Users', { ...user('Kim1'), schemas: [userSchema], externalId: 'e1' })
    await create('lou', '/Users', {
      ...user('Lou2'),
      schemas: [enterprise, userSchema],
      externalId: 'e2',
      [enterprise]: { Department: 'Ops', Manager: { Value: 'SomebodyElse' } },
    })

    const [kim, lou] = [await send('GET', `/Users/${ids['kim']}`), await send('GET', `/Users/${ids['lou']}`)]
    expect(kim.body).toMatchObject({ id: ids['kim'], userName: 'Kim1', active: true, emails: [{ primary: true }, {}] })
    expect(lou.body).toMatchObject({ [enterprise]: { department: 'Ops', manager: { value: 'SomebodyElse' } } })
    const list = await send('GET', '/Users?attributes=userName,emails')
    expect(list.body?.['Resources']).toMatchObject([
      { id: expect.any(String) as string, userName: expect.any(String) as string },
      {},
    ])
  })

  test('creates a user with nulls, an empty list, and a meta.created with seven decimal places (RFC 7643 §2.5)', async () => {
    const body = {
      schemas: [userSchema],
      userName: 'emp2',
      externalId: 'e3',
      active: true,
      addresses: [{ type: 'other', formatted: '1 Road\nTown', country: null, locality: null, primary: false }],
      emails: [
        { type: 'work', primary: true, value: 'a@x.test' },
        { type: 'work', primary: false, value: 'b@x.test' },
      ],
      meta: { created: '2019-09-18T18:15:26.5788954+00:00', resourceType: 'User' },
      name: { familyName: 'Employee', honorificPrefix: null },
      roles: [],
    }
    await create('emp', '/Users', body)

    const { body: shown } = await send('GET', `/Users/${ids['emp']}`)
    expect(shown).toMatchObject({
      addresses: [{ type: 'other', formatted: '1 Road\nTown' }],
      name: { familyName: 'Employee' },
    })
    expect(shown).not.toHaveProperty('roles')
  })

  test.each([
    ['a user without userName', { schemas: [userSchema], externalId: 'e9', active: true }, 400],
    ['a body that is not JSON', '{"acve": tre, "x": [', 400],
    ['a user who exists', { schemas: [userSchema], userName: 'EMP2', externalId: 'e4' }, 409],
  ])('refuses %s with a detail (RFC 7644 §3.12)', async (_, body, status) => {
    expect(await send('POST', '/Users', body)).toMatchObject({
      status,
      body: { status: String(status), detail: expect.stringMatching(/./) as string },
    })
  })

  test('finds users by userName, by externalId, and by an unquoted time of creation (RFC 7644 §3.4.2.2)', async () => {
    for (const filter of [
      'userName eq "emp2"',
      'externalId eq "e3"',
      'userName eq "emp2" and meta.created gt 2015-10-10T14:38:21.86-07:00',
    ])
      expect((await send('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body).toMatchObject({
        totalResults: 1,
        Resources: [{ id: ids['emp'] }],
      })
  })

  test('creates, replaces and changes groups, with display names of members that are not stored (RFC 7644 §3.5)', async () => {
    const group = (displayName: string, ...names: readonly string[]) => ({
      schemas: [groupSchema],
      displayName,
      members: names.map((name) => ({ value: ids[name], display: 'VP' })),
    })
    await create('first', '/Groups', { ...group('One', 'kim'), externalId: 'g1' })
    await create('second', '/Groups', { ...group('Two'), externalId: 'g2' })
    const path = `/Groups/${ids['first']}`
    const members = async (): Promise<unknown> => (await send('GET', path)).body?.['members']

    expect(
      await send('PUT', `/Groups/${ids['second']}`, { ...group('Put', 'kim', 'lou'), id: ids['second'] }),
    ).toMatchObject({
      status: 200,
      body: { displayName: 'Put', members: [{}, {}] },
    })
    const value = [{ displayName: 'new User', value: ids['lou'] }]
    expect((await patch(path, { name: 'addMember', op: 'add', path: 'members', value })).status).toBe(204)
    expect(await members()).toHaveLength(2)
    expect((await patch(path, { op: 'remove', path: `members[value eq "${ids['lou']}"]` })).status).toBe(204)
    expect(await members()).toMatchObject([{ value: ids['kim'] }])
    // The collection adds a string that identifies nobody; this server requires that members exist.
    expect((await patch(path, { op: 'add', path: 'members', value: 'string id 1' })).status).toBe(400)
    expect((await send('GET', `${path}?excludedAttributes=members`)).body).not.toHaveProperty('members')
    expect((await patch(path, { op: 'remove', path: 'members' })).status).toBe(204)
    expect((await members()) ?? []).toEqual([])
  })

  test('removes everything (RFC 7644 §3.6)', async () => {
    for (const [name, id] of Object.entries(ids)) {
      const path = ['first', 'second'].includes(name) ? `/Groups/${id}` : `/Users/${id}`
      expect((await send('DELETE', path)).status, name).toBe(204)
    }
    expect((await send('GET', '/Users?attributes=userName')).body).toMatchObject({ Resources: [] })
    expect((await send('GET', '/Groups')).body).toMatchObject({ Resources: [] })
  })
})
