import { addClientSecret, createAuthorizationServer, createStoredKeys, registerClient } from '@mintmark/core'
import { clientId, epochSeconds, userId, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import * as openid from 'openid-client'
import { expect, it } from 'vitest'

import { configAt, sendTo } from './client-at-app.ts'
import { importRealm } from '../../docs/snippets/migrate-from-keycloak/import-realm.ts'
import { importUsers } from '../../docs/snippets/migrate-from-oidc-provider/import-users.ts'
import { importClients } from '../../docs/snippets/migrate-from-oidc-provider/import-clients.ts'

const secret = 'Zk3vQ9xL2mN8pR5tW7yB1cD4fG6hJ0sA'

const machineTokens = async (storage: AdminStorage, id: string): Promise<openid.TokenEndpointResponse> => {
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const server = createAuthorizationServer({
    issuer: storage.issuer,
    storage,
    keys,
    signedIn: () => Promise.resolve(undefined),
  })
  const config = await configAt(storage.issuer, { clientId: id, clientSecret: secret, send: sendTo(server) })
  return openid.clientCredentialsGrant(config)
}

it('clients of oidc-provider keep their identifiers and secrets, and the import lists unsupported clients', async () => {
  const storage = createMemoryStorage({ issuer: 'https://login.example' })

  const notImported = await importClients(
    [
      { client_id: 'job', client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [] },
      Object.assign(
        { client_id: 'rest', client_secret: secret, redirect_uris: ['https://rest.example/cb'] },
        { post_logout_redirect_uris: ['https://rest.example/'], require_auth_time: true },
      ),
      { client_id: 'app', client_secret: secret, redirect_uris: ['https://app.example/cb'], default_max_age: 60 },
      { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: ['https://spa.example/cb'] },
      { client_id: 'weak', client_secret: 'foobar', redirect_uris: ['https://weak.example/cb'] },
      { client_id: 'plain', client_secret: secret, redirect_uris: ['http://plain.example/cb'] },
    ],
    storage,
  )

  expect([...notImported.keys()]).toEqual(['rest', 'weak', 'plain'])
  expect(notImported.get('rest')).toBe('Not imported: require_auth_time.')
  expect(await storage.clients.find(clientId('rest'))).toMatchObject({
    postLogoutRedirectUris: ['https://rest.example/'],
  })
  expect(await machineTokens(storage, 'job')).toMatchObject({ token_type: 'bearer' })
  expect(await storage.clients.find(clientId('app'))).toMatchObject({
    defaultMaxAge: 60,
    scopes: ['openid', 'offline_access'],
  })
  expect(await storage.clients.find(clientId('spa'))).toMatchObject({ tokenEndpointAuthMethod: 'none', secrets: [] })
})

it.each([
  [
    'of oidc-provider',
    (storage: AdminStorage) => importClients([{ client_id: 'job', client_secret: secret }], storage),
  ],
  [
    'of a Keycloak realm',
    (storage: AdminStorage) => importRealm({ users: [], clients: [{ clientId: 'job', secret }] }, storage),
  ],
])(
  'a client %s gets its secret when the import runs again after a crash, and another import keeps a newer secret',
  async (_case, run) => {
    const storage = createMemoryStorage({ issuer: 'https://login.example' })
    // The process died between the two steps of the import.
    await registerClient(
      { clientId: 'job', clientName: 'job', redirectUris: [], grantTypes: ['client_credentials'] },
      { storage },
    )

    expect([...(await run(storage)).keys()]).toEqual(['job'])
    expect(await machineTokens(storage, 'job')).toMatchObject({ token_type: 'bearer' })

    await addClientSecret('job', {}, { storage })
    const before = await storage.clients.find(clientId('job'))
    await run(storage)
    expect(await storage.clients.find(clientId('job'))).toEqual(before)
  },
)

it('users keep their sub, and importing twice changes nothing', async () => {
  const storage = createMemoryStorage({ issuer: 'https://login.example' })
  const accounts = async function* () {
    yield await Promise.resolve({ accountId: 'user-1', claims: { name: 'Ann Lee' } })
  }

  await importUsers(accounts(), storage)
  await importUsers(accounts(), storage)

  expect(await storage.users.find(userId('user-1'))).toMatchObject({ claims: { name: 'Ann Lee' }, version: 1 })
})

it('a Keycloak realm keeps its issuer, its user ids and the secrets of its clients', async () => {
  const storage = createMemoryStorage({ issuer: 'https://login.example/realms/acme' })
  const id = 'f2c0e1d4-8a55-4a67-9d0e-0a4a3a3f7d11'
  await storage.users.insert({ userId: userId('taken'), claims: {}, createdAt: epochSeconds(1) })
  await storage.users.remove(userId('taken'), epochSeconds(2))

  const notImported = await importRealm(
    {
      users: [
        {
          id,
          username: 'ann',
          email: 'ann@example.com',
          emailVerified: true,
          firstName: 'Ann',
          lastName: 'Lee',
          enabled: true,
        },
        { id: 'gone', username: 'bob', enabled: false },
        { id: 'job-user', username: 'service-account-job', serviceAccountClientId: 'job' },
        { id: 'taken', username: 'eve' },
      ],
      clients: [
        { clientId: 'account', publicClient: true },
        {
          clientId: 'job',
          secret,
          standardFlowEnabled: false,
          serviceAccountsEnabled: true,
          defaultClientScopes: ['profile'],
        },
        {
          clientId: 'shop',
          secret,
          redirectUris: ['https://shop.example/cb'],
          attributes: {
            'post.logout.redirect.uris': 'https://shop.example/##https://shop.example/bye',
            'backchannel.logout.url': 'https://shop.example/logout',
          },
        },
        { clientId: 'wild', secret, redirectUris: ['https://wild.example/*'] },
      ],
    },
    storage,
  )

  expect([...notImported]).toEqual([
    ['user eve', 'The user was removed here.'],
    ['wild', expect.stringContaining('wildcard')],
  ])
  expect(await storage.users.find(userId('job-user'))).toBeUndefined()
  expect(await storage.clients.find(clientId('shop'))).toMatchObject({
    postLogoutRedirectUris: ['https://shop.example/', 'https://shop.example/bye'],
    backchannelLogoutUri: 'https://shop.example/logout',
  })
  expect(await machineTokens(storage, 'job')).toMatchObject({ token_type: 'bearer' })
  expect(await storage.users.find(userId(id))).toMatchObject({
    active: true,
    claims: { preferred_username: 'ann', given_name: 'Ann', email_verified: true },
  })
  expect(await storage.users.find(userId('gone'))).toMatchObject({ active: false })
  expect(await storage.clients.find(clientId('account'))).toBeUndefined()
})

it('importing a Keycloak realm twice changes no user: one who was reactivated in between stays active', async () => {
  const storage = createMemoryStorage({ issuer: 'https://login.example/realms/acme' })
  const realm = {
    users: [
      { id: 'back', username: 'ann', enabled: false },
      { id: 'gone', username: 'bob', enabled: false },
    ],
    clients: [],
  }
  await importRealm(realm, storage)
  await storage.users.reactivate(userId('back'), epochSeconds(Date.now() / 1000))
  const before = await storage.users.find(userId('gone'))

  await importRealm(realm, storage)

  expect(await storage.users.find(userId('back'))).toMatchObject({ active: true, version: 2 })
  expect(await storage.users.find(userId('gone'))).toEqual(before)
  expect(before).toMatchObject({ active: false, version: 1 })
})
