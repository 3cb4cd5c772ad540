import { clientId, type AdminStorage, type JsonObject, providerId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import { createScimServer, type ScimRefusalReason, type ScimServerOptions } from '../../src/index.ts'
import { patchOp } from '../fixtures/directory-under-test.ts'
import { idOf, issuer, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

const agentUrn = 'urn:ietf:params:scim:schemas:core:2.0:Agent'

interface Site extends ScimUnderTest {
  readonly admin: AdminStorage
  /** The ids of the users. */
  readonly ada: string
  readonly ben: string
  /** Sends an agent of Ada. */
  post(members?: object): Promise<ScimReply>
  patch(id: string, ...operations: readonly object[]): Promise<ScimReply>
  user(operation: object, id?: string): Promise<ScimReply>
}

async function start(options: Partial<ScimServerOptions> = {}): Promise<Site> {
  const admin = createMemoryStorage({ issuer })
  const scim = await startScim({ storage: admin, agents: {}, ...options })
  const [ada = '', ben = ''] = await Promise.all(
    ['ada', 'ben'].map(async (userName) =>
      idOf(await scim.send({ method: 'POST', path: '/Users', body: { userName } })),
    ),
  )
  const patchAt = (path: string, Operations: readonly object[]) =>
    scim.send({ method: 'PATCH', path, body: { schemas: [patchOp], Operations } })
  return {
    ...scim,
    admin,
    ada,
    ben,
    post: (members) => scim.send({ method: 'POST', path: '/Agents', body: anAgent(ada, members) }),
    patch: (id, ...operations) => patchAt(`/Agents/${id}`, operations),
    user: (operation, id = ada) => patchAt(`/Users/${id}`, [operation]),
  }
}

const anAgent = (owner: string, members: object = {}): JsonObject => ({
  schemas: [agentUrn],
  agentUserName: 'triage-bot',
  displayName: 'Triage',
  externalId: 'agent-42',
  owners: [{ value: owner }],
  ...members,
})

const deactivate = { op: 'replace', path: 'active', value: false }
const activate = { op: 'replace', path: 'active', value: true }

const stored = ({ admin }: Site, id: string) => admin.clients.find(clientId(id))

async function expectRefusal(
  site: Site,
  [status, scimType, reason]: readonly [number, string | undefined, ScimRefusalReason],
  send: () => Promise<ScimReply>,
): Promise<void> {
  const before = JSON.stringify(await site.admin.clients.list({ after: undefined, limit: 100 }))
  const reply = await send()
  expect([reply.status, reply.body?.['scimType'], site.lastReason()]).toEqual([status, scimType, reason])
  expect(JSON.stringify(await site.admin.clients.list({ after: undefined, limit: 100 }))).toBe(before)
}

describe('the agent of draft-wzdk-scim-agent-resource', () => {
  test('is created with a client that has no credential and no scope values, and whose owner is the user', async () => {
    const site = await start()

    const reply = await site.post()

    const id = idOf(reply)
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ externalId: 'agent-42', active: true, displayName: 'Triage' })
    expect(reply.body?.['owners']).toEqual([
      { value: site.ada, $ref: `${issuer}/scim/v2/enterprise-idps/T1/Users/${site.ada}` },
    ])
    expect(await stored(site, id)).toMatchObject({
      clientName: 'Triage',
      origin: 'directory',
      grantTypes: ['client_credentials'],
      tokenEndpointAuthMethod: 'private_key_jwt',
      scopes: [],
      secrets: [],
      disabledAt: undefined,
      agent: { providerId: 'T1', ownerUserId: site.ada, endedAt: undefined },
    })
    expect(site.events.at(-1)).toMatchObject({ type: 'resource.created', resourceType: 'Agent', resourceId: id })
  })

  test('is found by filters, sorted, shown in discovery and read with an entity tag (RFC 7644 §3.4.2, §4)', async () => {
    const site = await start()
    const id = idOf(await site.post())
    await site.post({ externalId: 'agent-43', displayName: 'Coder', active: false })

    const list = async (query: string) => {
      const { body = {} } = await site.send({ path: `/Agents?${query}` })
      return (body['Resources'] as readonly JsonObject[]).map(({ displayName }) => displayName)
    }
    expect(await list(`filter=${encodeURIComponent('externalId eq "agent-42"')}`)).toEqual(['Triage'])
    expect(await list(`filter=${encodeURIComponent('active eq false')}`)).toEqual(['Coder'])
    expect(await list(`filter=${encodeURIComponent(`owners.value eq "${site.ada}"`)}&sortBy=displayName`)).toEqual([
      'Coder',
      'Triage',
    ])
    const types = await site.send({ path: '/ResourceTypes/Agent' })
    expect(types.body).toMatchObject({ endpoint: '/Agents', schema: agentUrn })
    expect((await site.send({ path: `/Schemas/${agentUrn}` })).status).toBe(200)
    const read = await site.send({ path: `/Agents/${id}` })
    const again = { path: `/Agents/${id}`, headers: { 'if-none-match': read.headers.get('etag') ?? '' } }
    expect((await site.send(again)).status).toBe(304)
  })

  test('is changed by PUT and PATCH, and removed for good by DELETE, after which its externalId is free', async () => {
    const site = await start()
    const id = idOf(await site.post())

    const put = await site.send({ method: 'PUT', path: `/Agents/${id}`, body: anAgent(site.ben, { displayName: 'B' }) })
    expect(put.body).toMatchObject({ displayName: 'B', active: true })
    expect(await stored(site, id)).toMatchObject({ clientName: 'B', agent: { ownerUserId: site.ben } })
    const patched = await site.patch(id, { op: 'add', path: 'description', value: 'Sorts issues' })
    expect(patched.body).toMatchObject({ displayName: 'B', description: 'Sorts issues' })
    expect((await site.send({ method: 'DELETE', path: `/Agents/${id}` })).status).toBe(204)
    expect([await stored(site, id), (await site.send({ path: `/Agents/${id}` })).status]).toEqual([undefined, 404])
    expect((await site.post()).status).toBe(201)
  })

  test('has the metadata that the host chooses, which are checked, and never a client secret', async () => {
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] }
    const site = await start({ agents: { clientFor: () => ({ scopes: ['tickets:read'], jwks }) } })
    expect(await stored(site, idOf(await site.post()))).toMatchObject({ scopes: ['tickets:read'], jwks })

    const wrong = await start({
      agents: { clientFor: () => ({ scopes: [], tokenEndpointAuthMethod: 'client_secret' }) },
    })
    expect((await wrong.post()).status).toBe(500)
    expect(await wrong.admin.clients.list({ after: undefined, limit: 10 })).toEqual([])
  })

  test.each([
    ['is long', 'x'.repeat(1024), 'x'.repeat(100)],
    ['has many characters outside of the first plane', '😀'.repeat(300), '😀'.repeat(100)],
    ['is blank', '   ', 'triage-bot'],
  ])('has a client with a name that a client can have when its own %s', async (_how, displayName, clientName) => {
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] }
    for (const agents of [{}, { clientFor: () => ({ scopes: [], jwks }) }]) {
      const site = await start({ agents })

      const created = await site.post({ displayName })
      const first = await stored(site, idOf(created))
      await site.patch(idOf(created), { op: 'replace', path: 'title', value: 'Bot' }, deactivate)

      expect(created.body?.['displayName']).toBe(displayName)
      expect([first?.clientName, (await stored(site, idOf(created)))?.clientName]).toEqual([clientName, clientName])
    }
  })

  test('belongs to the primary owner, or else to the first', async () => {
    const site = await start()
    const two = [{ value: site.ada }, { value: site.ben, primary: true }]

    const primary = await stored(site, idOf(await site.post({ owners: two })))
    const first = await stored(
      site,
      idOf(await site.post({ externalId: 'b', owners: [{ value: site.ben }, { value: site.ada }] })),
    )

    expect([primary?.agent?.ownerUserId, first?.agent?.ownerUserId]).toEqual([site.ben, site.ben])
  })

  test.each([true, false])(
    'stays as it is when a PUT omits active, and is refused where active has no value: %j before (RFC 7643 §2.5)',
    async (active) => {
      const site = await start()
      const id = idOf(await site.post({ active }))
      const put = (members: object) =>
        site.send({ method: 'PUT', path: `/Agents/${id}`, body: anAgent(site.ada, members) })

      expect((await put({ displayName: 'B' })).body).toMatchObject({ displayName: 'B', active })
      for (const none of [null, '']) {
        await expectRefusal(site, [400, 'invalidValue', 'value_required'], () => put({ active: none }))
        await expectRefusal(site, [400, 'invalidValue', 'value_required'], () =>
          site.post({ externalId: 'agent-43', active: none }),
        )
        await expectRefusal(site, [400, 'mutability', 'attribute_required'], () =>
          site.patch(id, { op: 'replace', path: 'active', value: none }),
        )
      }
      await expectRefusal(site, [400, 'mutability', 'attribute_required'], () =>
        site.patch(id, { op: 'remove', path: 'active' }),
      )
    },
  )

  test('is refused without an owner who is an active user of the directory (RFC 7644 §3.12)', async () => {
    const site = await start()
    const eve = idOf(await site.send({ method: 'POST', path: '/Users', provider: 'T2', body: { userName: 'eve' } }))
    await site.user(deactivate, site.ben)

    const attempts = [
      [{ owners: [] }, 'value_required'],
      [{ owners: [{ value: eve }] }, 'reference_unknown'],
      [{ owners: [{ value: site.ben }] }, 'agent_owner_inactive'],
    ] as const
    for (const [members, reason] of attempts)
      await expectRefusal(site, [400, 'invalidValue', reason], () => site.post(members))
    expect((await site.post({ owners: [{ value: site.ben }], active: false })).status).toBe(201)
  })

  test('is refused with the externalId of another agent, or beyond the limit (RFC 7644 §3.12)', async () => {
    const site = await start({ limits: { agents: 1 } })
    const id = idOf(await site.post())

    await expectRefusal(site, [409, 'uniqueness', 'external_id_taken'], () => site.post())
    await expectRefusal(site, [403, undefined, 'resources_too_many'], () => site.post({ externalId: 'other' }))
    await expectRefusal(site, [400, 'mutability', 'attribute_immutable'], () =>
      site.patch(id, { op: 'replace', path: 'externalId', value: 'new' }),
    )
  })

  test('of another directory, and a client that is no agent, are not found (RFC 7644 §6)', async () => {
    const site = await start()
    const id = idOf(await site.post())

    for (const method of ['GET', 'DELETE'])
      expect((await site.send({ method, path: `/Agents/${id}`, provider: 'T2' })).status).toBe(404)
    expect(await stored(site, id)).toMatchObject({ disabledAt: undefined })
  })
})

describe('the end of an agent', () => {
  test('is the write that deactivates its owner: the directory reads it, and nothing but the directory revives it', async () => {
    const site = await start()
    const id = idOf(await site.post())

    await site.user(deactivate)
    expect((await site.send({ path: `/Agents/${id}` })).body).toMatchObject({ active: false })
    await expectRefusal(site, [400, 'invalidValue', 'agent_owner_inactive'], () => site.patch(id, activate))
    await site.user(activate)
    expect((await stored(site, id))?.disabledAt).toBeDefined()

    expect((await site.patch(id, activate)).body).toMatchObject({ active: true })
    expect(await stored(site, id)).toMatchObject({ disabledAt: undefined, agent: { endedAt: undefined } })
  })

  test('does not come with the end of a former owner, but with that of the new one', async () => {
    const site = await start()
    const id = idOf(await site.post())
    await site.patch(id, { op: 'replace', path: 'owners', value: [{ value: site.ben }] })

    await site.user(deactivate)
    expect((await stored(site, id))?.disabledAt).toBeUndefined()
    await site.send({ method: 'DELETE', path: `/Users/${site.ben}` })
    expect((await stored(site, id))?.disabledAt).toBeDefined()
  })

  test('is the write that disables its directory', async () => {
    const site = await start()
    const id = idOf(await site.post())
    const provider = await site.admin.identityProviders.find(providerId('T1'))
    if (provider === undefined) throw new Error('no provider')

    await site.admin.identityProviders.compareAndSwap({ ...provider, disabledAt: site.clock.now() }, provider.version)

    expect((await stored(site, id))?.disabledAt).toBe(site.clock.now())
  })

  test('that an administrator decided is not undone by the directory (RFC 7644 §3.12)', async () => {
    const site = await start()
    const id = idOf(await site.post())
    const client = await stored(site, id)
    if (client === undefined) throw new Error('no client')
    await site.admin.clients.compareAndSwap({ ...client, disabledAt: site.clock.now() }, client.version)

    await expectRefusal(site, [403, undefined, 'agent_blocked'], () => site.patch(id, activate))
    await site.patch(id, { op: 'replace', path: 'displayName', value: 'New' })
    expect(await stored(site, id)).toMatchObject({ clientName: 'New', agent: { endedAt: undefined } })
    expect((await stored(site, id))?.disabledAt).toBeDefined()
  })

  test('does not come when the access of its owner is revoked', async () => {
    const site = await start()
    const id = idOf(await site.post())

    await site.admin.users.revokeAccess(userId(site.ada), site.clock.now())

    expect((await stored(site, id))?.disabledAt).toBeUndefined()
  })
})

test('there are no agents unless the host wants them', async () => {
  const site = await start()
  const without = site.startAnother({ agents: undefined } as never)

  expect((await without.send({ path: '/Agents' })).status).toBe(404)
  const types = await without.send({ path: '/ResourceTypes' })
  expect(JSON.stringify(types.body)).not.toContain('Agent')
})

test('a storage that cannot end agents with their owners is refused at the start', () => {
  const { agents: _agents, ...storage } = createMemoryStorage({ issuer })

  expect(() => createScimServer({ issuer, storage, agents: {} })).toThrow(
    /createScimServer with agents needs .*`agents`/,
  )
})
