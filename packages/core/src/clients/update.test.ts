import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { registerClient, type ClientRegistration } from './registration.ts'
import { disableClient, enableClient, updateClient, type ClientChange } from './update.ts'

const now = epochSeconds(1_790_000_000)
const clock = () => now
const web: ClientRegistration = { clientId: 'A', clientName: 'App', redirectUris: ['https://app.test/cb'] }

const startWith = async (registration: ClientRegistration = web) => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const registered = await registerClient(registration, { storage, clock })
  return { storage, registered, find: () => storage.clients.find(clientId('A')) }
}

it('keeps the members that a change leaves out (RFC 7592 §2.2)', async () => {
  const { storage, registered } = await startWith({ ...web, defaultMaxAge: 60 })

  const updated = await updateClient(
    { clientId: 'A' },
    { clientName: 'Better app', defaultMaxAge: undefined },
    { storage, clock },
  )

  const client = { ...registered.client, clientName: 'Better app', defaultMaxAge: undefined, version: 2 }
  expect(updated).toEqual({ outcome: 'updated', before: registered.client, client, clientSecret: undefined })
})

it.for<[string, ClientChange, string]>([
  ['the code grant without a redirect URI', { redirectUris: [] }, 'invalid_redirect_uri'],
  ['a redirect URI with a wildcard', { redirectUris: ['https://*.app.test/cb'] }, 'invalid_redirect_uri'],
  ['private_key_jwt without keys', { tokenEndpointAuthMethod: 'private_key_jwt' }, 'invalid_client_metadata'],
  [
    'a public client with the client credentials grant',
    { tokenEndpointAuthMethod: 'none', grantTypes: ['client_credentials'] },
    'invalid_client_metadata',
  ],
  ['a scope value with a space', { scopes: ['openid profile'] }, 'invalid_client_metadata'],
  ['a negative default_max_age', { defaultMaxAge: -1 }, 'invalid_client_metadata'],
  ['a fractional default_max_age', { defaultMaxAge: 0.5 }, 'invalid_client_metadata'],
  ['an empty name', { clientName: ' ' }, 'invalid_client_metadata'],
  ['encrypted ID tokens without a key', { idTokenEncryptedResponseAlg: 'ECDH-ES' }, 'invalid_client_metadata'],
  [
    'encrypted ID tokens with a key for signatures only',
    { idTokenEncryptedResponseAlg: 'RSA-OAEP-256', jwks: { keys: [{ kty: 'RSA', use: 'sig', n: 'AQAB', e: 'AQAB' }] } },
    'invalid_client_metadata',
  ],
  ['a page address without TLS', { policyUri: 'http://app.example/privacy' }, 'invalid_client_metadata'],
  [
    'a page address that disguises its host',
    { tosUri: 'https://bank.example@app.example/' },
    'invalid_client_metadata',
  ],
  ['a page address that runs a script', { clientUri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  ['a logo at an IP address', { logoUri: 'https://10.0.0.1/logo.png' }, 'invalid_client_metadata'],
  [
    'a content encryption algorithm (enc) without a key encryption algorithm (alg)',
    { introspectionEncryptedResponseEnc: 'A256GCM' },
    'invalid_client_metadata',
  ],
  [
    'encrypted authorization responses that are not signed',
    { authorizationEncryptedResponseAlg: 'ECDH-ES', jwksUri: 'https://app.example/jwks' },
    'invalid_client_metadata',
  ],
  [
    'encrypted userinfo responses that are not signed',
    { userinfoEncryptedResponseAlg: 'ECDH-ES', jwks: { keys: [{ kty: 'OKP', crv: 'X25519', use: 'enc', x: 'AQAB' }] } },
    'invalid_client_metadata',
  ],
  ['an algorithm that the server does not sign with', { idTokenSignedResponseAlg: 'ES256' }, 'invalid_client_metadata'],
])('refuses a change that would result in %s (RFC 7591 §3.2.2)', async ([, change, code]) => {
  const { storage, registered, find } = await startWith()

  await expect(
    updateClient({ clientId: 'A' }, change, { storage, keys: { algorithms: ['RS256'] } }),
  ).rejects.toMatchObject({ code })

  expect(await find()).toEqual(registered.client)
})

it('creates a secret when the new authentication method needs one, and removes it when it needs none (RFC 7591 §2)', async () => {
  const { storage, find } = await startWith({ ...web, tokenEndpointAuthMethod: 'none' })

  const moved = await updateClient(
    { clientId: 'A' },
    { tokenEndpointAuthMethod: 'client_secret_basic' },
    { storage, clock },
  )
  const withSecret = await find()
  await updateClient({ clientId: 'A' }, { tokenEndpointAuthMethod: 'none' }, { storage, clock })

  const secret = moved.outcome === 'updated' ? moved.clientSecret : undefined
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(withSecret?.secrets).toHaveLength(1)
  expect(JSON.stringify(withSecret)).not.toContain(secret)
  expect((await find())?.secrets).toEqual([])
})

it('returns a conflict and writes nothing when the version is outdated (RFC 9110 §13.1.1)', async () => {
  const { storage, find } = await startWith()
  await updateClient({ clientId: 'A', version: 1 }, { clientName: 'One' }, { storage })

  const late = await updateClient({ clientId: 'A', version: 1 }, { clientName: 'Two' }, { storage })

  expect(late).toEqual({ outcome: 'conflict' })
  expect(await find()).toMatchObject({ clientName: 'One', version: 2 })
})

it.each<readonly [string, object]>([
  ['verson', { verson: 1 }],
  ['version', { version: '1' }],
  ['clientId', { clientId: 5 }],
])('refuses a target whose %s is unknown or has another type, and writes nothing', async (name, change) => {
  const { storage, registered, find } = await startWith()

  const updating = updateClient({ clientId: 'A', ...change }, { clientName: 'Other' }, { storage })

  await expect(updating).rejects.toThrow(`updateClient: ${name} `)
  expect(await find()).toEqual(registered.client)
})

it('disables a client, keeps the time when it is disabled again, and enables it', async () => {
  const { storage, find } = await startWith()

  await disableClient({ clientId: 'A' }, { storage, clock })
  await disableClient({ clientId: 'A' }, { storage, clock: () => epochSeconds(now + 9) })
  const disabled = await find()
  await enableClient({ clientId: 'A' }, { storage })

  expect(disabled?.disabledAt).toBe(now)
  expect((await find())?.disabledAt).toBeUndefined()
  expect(await disableClient({ clientId: 'B' }, { storage })).toEqual({ outcome: 'absent' })
})

it('applies concurrent changes of different members', async () => {
  const { storage, find } = await startWith()

  await Promise.all([
    updateClient({ clientId: 'A' }, { clientName: 'New' }, { storage }),
    updateClient({ clientId: 'A' }, { scopes: ['openid', 'email'] }, { storage }),
    updateClient({ clientId: 'A' }, { requireAuthTime: true }, { storage }),
  ])

  expect(await find()).toMatchObject({
    clientName: 'New',
    scopes: ['openid', 'email'],
    requireAuthTime: true,
    version: 4,
  })
})

it('keeps the default RS256 of a client in an update on a server that signs with another algorithm (OIDC Registration §2)', async () => {
  const { storage, registered } = await startWith()
  expect(registered.client.idTokenSignedResponseAlg).toBe('RS256')

  const updated = await updateClient(
    { clientId: 'A' },
    { clientName: 'New', idTokenSignedResponseAlg: 'RS256' },
    { storage, keys: { algorithms: ['ES256'] } },
  )

  expect(updated).toMatchObject({
    outcome: 'updated',
    client: { clientName: 'New', idTokenSignedResponseAlg: 'RS256' },
  })
})
