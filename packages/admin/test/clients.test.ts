import { clientId, providerId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { expectRefused, issuer, startAdmin } from './admin-under-test.ts'

const web = { clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }

it('a client is created with a secret that is shown once', async () => {
  const system = startAdmin()

  const { client, clientSecret } = await system.admin.clients.create(web)

  expect(clientSecret).toMatch(/^[\w-]{43}$/)
  expect(client).toMatchObject({
    ...web,
    version: 1,
    disabledAt: undefined,
    secrets: [{ createdAt: system.clock.now() }],
  })
  const shown = JSON.stringify([
    await system.admin.clients.read('app'),
    await system.admin.clients.list(),
    system.events,
    system.dump(),
  ])
  expect(shown).not.toContain(clientSecret)
  const digest = (await system.storage.clients.find(clientId('app')))?.secrets[0]?.digest
  expect(JSON.stringify([client, system.events, await system.admin.audit.list()])).not.toContain(digest)
})

it('rejects an identifier that a client has, or had before it was removed', async () => {
  const system = startAdmin()
  await system.admin.clients.create(web)

  await expectRefused(system, () => system.admin.clients.create(web), 'identifier_taken')
  await system.admin.clients.remove({ clientId: 'app' })
  await expectRefused(system, () => system.admin.clients.create(web), 'invalid_client_metadata')
})

it('rejects an identifier with characters that some stores cannot look up, without a look-up', async () => {
  const storage = createMemoryStorage({ issuer })
  const asked: string[] = []
  const find: typeof storage.clients.find = (id) => {
    asked.push(id)
    return storage.clients.find(id)
  }
  const { admin } = startAdmin({ storage: { ...storage, clients: { ...storage.clients, find } } })

  await expect(admin.clients.create({ ...web, clientId: 'a\u0000' })).rejects.toMatchObject({
    reason: 'invalid_client_metadata',
  })
  await admin.clients.create(web)

  expect(new Set(asked)).toEqual(new Set(['app']))
})

it('rejects a change whose result would be invalid, and a change of an old version', async () => {
  const system = startAdmin({ keys: { algorithms: ['ES256'] } })
  await system.admin.clients.create(web)
  const { client } = await system.admin.clients.update({ clientId: 'app', version: 1 }, { clientName: 'Better' })

  expect(client).toMatchObject({ clientName: 'Better', redirectUris: web.redirectUris, version: 2 })
  await expectRefused(
    system,
    () => system.admin.clients.update({ clientId: 'app', version: 1 }, { clientName: 'Late' }),
    'version_mismatch',
  )
  await expectRefused(
    system,
    () => system.admin.clients.update({ clientId: 'app' }, { redirectUris: [] }),
    'invalid_redirect_uri',
  )
  await expectRefused(
    system,
    () => system.admin.clients.update({ clientId: 'app' }, { idTokenSignedResponseAlg: 'PS256' }),
    'invalid_client_metadata',
  )
  await expectRefused(system, () => system.admin.clients.update({ clientId: 'other' }, {}), 'client_unknown')
})

it('a client is disabled, enabled and removed, and a removal of an old version is rejected', async () => {
  const system = startAdmin()
  await system.admin.clients.create(web)

  expect(await system.admin.clients.disable({ clientId: 'app' })).toMatchObject({ disabledAt: system.clock.now() })
  expect(await system.admin.clients.enable({ clientId: 'app' })).toMatchObject({ disabledAt: undefined, version: 3 })
  await expectRefused(system, () => system.admin.clients.remove({ clientId: 'app', version: 2 }), 'version_mismatch')
  await system.admin.clients.remove({ clientId: 'app', version: 3 })
  await expectRefused(system, () => system.admin.clients.read('app'), 'client_unknown')
})

it('an agent is enabled only while its owner is active, and its directory is told that an administrator disabled it', async () => {
  const system = startAdmin()
  const { client } = await system.admin.clients.create(web)
  const agent = {
    providerId: providerId('acme'),
    ownerUserId: userId('user-ada'),
    externalId: 'agent-42',
    resource: {},
    updatedAt: system.clock.now(),
    endedAt: system.clock.now(),
  }
  const stored = await system.storage.clients.find(client.clientId)
  if (stored === undefined) throw new Error('no client')
  await system.storage.clients.compareAndSwap({ ...stored, disabledAt: system.clock.now(), agent }, 1)
  const { resource: _resource, updatedAt: _updatedAt, ...shown } = agent

  expect(await system.admin.clients.read('app')).toMatchObject({ agent: shown })
  await expectRefused(system, () => system.admin.clients.enable({ clientId: 'app' }), 'agent_owner_inactive')
  await system.admin.identityProviders.register({ providerId: 'acme' })
  await system.storage.provisionedUsers.insert(aProvisionedUser('ada', { providerId: agent.providerId }))
  const enabled = await system.admin.clients.enable({ clientId: 'app' })
  expect([enabled.disabledAt, enabled.agent?.endedAt]).toEqual([undefined, undefined])
  const disabled = await system.admin.clients.disable({ clientId: 'app' })
  expect([disabled.disabledAt, disabled.agent?.endedAt]).toEqual([system.clock.now(), undefined])
})

it('a client can have two active secrets, not three, and the old one expires at the given time', async () => {
  const system = startAdmin()
  const { clientSecret } = await system.admin.clients.create(web)

  const second = await system.admin.clients.addSecret('app', { previousExpiresAt: system.clock.now() + 60 })

  expect(second).not.toBe(clientSecret)
  await expectRefused(system, () => system.admin.clients.addSecret('app'), 'invalid_client_metadata')
  expect((await system.admin.clients.read('app')).secrets).toMatchObject([
    { expiresAt: system.clock.now() + 60 },
    { expiresAt: undefined },
  ])
  await system.admin.clients.revokePreviousSecrets('app')
  expect((await system.admin.clients.read('app')).secrets).toHaveLength(1)
})

it('lists are read page by page, and an invalid page is rejected', async () => {
  const system = startAdmin()
  for (const id of ['c', 'a', 'b']) await system.admin.clients.create({ ...web, clientId: id })

  const first = await system.admin.clients.list({ limit: 2 })
  const second = await system.admin.clients.list({ limit: 2, after: first.next })

  expect([first, second].map(({ items }) => items.map((client) => client.clientId))).toEqual([['a', 'b'], ['c']])
  expect(second.next).toBeUndefined()
  await expectRefused(system, () => system.admin.clients.list({ limit: 0 }), 'page_invalid')
  await expectRefused(system, () => system.admin.clients.list({ limit: 201 }), 'page_invalid')
  await expectRefused(system, () => system.admin.clients.list({ after: '\u0000' }), 'page_invalid')
})

it('rejects the revocation of an initial access token that does not exist (RFC 9110 §15.5.5)', async () => {
  const system = startAdmin()

  await expectRefused(system, () => system.admin.initialAccessTokens.revoke('unknown'), 'initial_access_token_unknown')
})
