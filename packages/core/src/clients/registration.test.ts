import { clientId, epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { clientMetadata } from './metadata.ts'
import { registerClient } from './registration.ts'

it('refuses a client_id that is the identifier of a user (RFC 9700 §4.15)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.users.insert({ userId: userId('user-1'), claims: {}, createdAt: epochSeconds(1) })

  const registering = registerClient(
    { clientId: 'user-1', clientName: 'Look-alike', redirectUris: ['https://app.test/cb'] },
    { storage },
  )

  await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  expect(await storage.clients.find(clientId('user-1'))).toBeUndefined()
})

it('has a metadata rule for every member of the record that an administrator sets (RFC 7591 §2)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const ownMembers = ['clientId', 'secrets', 'disabledAt', 'createdAt', 'version']

  await registerClient({ clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })

  const members = Object.entries((await storage.clients.find(clientId('app'))) ?? {})
  const set = members.filter(([name]) => !ownMembers.includes(name))
  expect(Object.keys(clientMetadata).toSorted()).toEqual(set.map(([name]) => name).toSorted())
  for (const [name, value] of set) expect([name, clearable.includes(name)]).toEqual([name, value === undefined])
})

const clearable = Object.entries(clientMetadata).flatMap(([name, rule]) =>
  'presence' in rule && rule.presence === 'clearable' ? [name] : [],
)

it('completes a registration with the defaults of the metadata rules', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })

  const { client } = await registerClient({ clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })

  expect(client).toMatchObject({
    tokenEndpointAuthMethod: 'client_secret',
    grantTypes: ['authorization_code'],
    scopes: ['openid'],
    servedAudiences: [],
    idTokenSignedResponseAlg: 'RS256',
    requireAuthTime: false,
    jwks: undefined,
    defaultMaxAge: undefined,
  })
})
