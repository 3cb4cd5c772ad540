import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it, onTestFinished } from 'vitest'

import { registerClient, type ClientRegistration } from './registration.ts'
import { sectorOf } from './sector.ts'
import { updateClient } from './update.ts'

const twoHosts = ['https://one.test/cb', 'https://two.test/cb']

/** Serves a document. `register` registers clients that refer to it. */
async function publish(document: string, status = 200) {
  const state = { document, requests: 0 }
  const server = createServer((_request, response) => {
    state.requests += 1
    response.writeHead(status, { 'content-type': 'application/json' }).end(state.document)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const deps = { storage, dangerouslyAllowOutbound: [origin] }
  const register = (registration: Partial<ClientRegistration>) =>
    registerClient(
      { clientName: 'App', subjectType: 'pairwise', sectorIdentifierUri: `${origin}/sector.json`, ...registration },
      deps,
    )
  return { state, storage, deps, register }
}

const refused = { code: 'invalid_client_metadata' }

it('the sector is the host of the redirect URIs (OIDC Core §8.1)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const redirectUris = ['https://app.test/cb', 'https://app.test/other']
  const { client } = await registerClient({ clientName: 'App', subjectType: 'pairwise', redirectUris }, { storage })

  expect(sectorOf(client)).toBe('app.test')
})

it.each([
  ['redirect URIs at two hosts', twoHosts],
  ['a redirect URI with a private-use scheme', ['com.example.app:/cb']],
  ['a redirect URI on loopback, which all developers share', ['http://127.0.0.1/cb']],
])('refuses pairwise subjects without a sector_identifier_uri for %s (OIDC Core §8.1)', async (_, redirectUris) => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const registration = registerClient({ clientName: 'App', subjectType: 'pairwise', redirectUris }, { storage })

  await expect(registration).rejects.toMatchObject(refused)
  expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
})

it('refuses pairwise subjects if the storage has no store for them', async () => {
  const { subjects: _, ...storage } = createMemoryStorage({ issuer: 'https://as.test' })
  const redirectUris = ['https://app.test/cb']

  await expect(
    registerClient({ clientName: 'App', subjectType: 'pairwise', redirectUris }, { storage }),
  ).rejects.toMatchObject(refused)
})

it('reads the document at sector_identifier_uri, whose host is the sector (OIDC Core §8.1)', async () => {
  const { register } = await publish(JSON.stringify([...twoHosts, 'https://three.test/cb']))

  const { client } = await register({ redirectUris: twoHosts })

  expect(sectorOf(client)).toBe('127.0.0.1')
})

it.each([
  ['lacks a redirect URI of the client', JSON.stringify(['https://one.test/cb']), 200],
  ['is not an array', JSON.stringify({ redirect_uris: twoHosts }), 200],
  ['is not JSON', 'https://one.test/cb', 200],
  ['is not found', JSON.stringify(twoHosts), 404],
])('refuses a client whose document %s (OIDC Core §8.1)', async (_, document, status) => {
  const { register, storage } = await publish(document, status)

  await expect(register({ redirectUris: twoHosts })).rejects.toMatchObject(refused)
  expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
})

it('sends no request to a sector_identifier_uri with an IP address', async () => {
  const { state, storage, register } = await publish(JSON.stringify(twoHosts))
  const sectorIdentifierUri = 'https://127.0.0.1/sector.json'

  await expect(register({ redirectUris: twoHosts, sectorIdentifierUri })).rejects.toMatchObject({
    ...refused,
    description: 'sector_identifier_uri must use https, a host name and the default port.',
  })
  expect(state.requests).toBe(0)
  expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
})

it('reads the document again when the redirect URIs change, but not when the name changes (OIDC Registration §5)', async () => {
  const { state, deps, register } = await publish(JSON.stringify(twoHosts))
  const { client } = await register({ redirectUris: twoHosts })

  await updateClient({ clientId: client.clientId }, { clientName: 'Renamed' }, deps)
  expect(state.requests).toBe(1)
  const added = updateClient({ clientId: client.clientId }, { redirectUris: [...twoHosts, 'https://x.test/cb'] }, deps)
  await expect(added).rejects.toMatchObject(refused)
  expect(state.requests).toBe(2)
})

it('accepts an update that keeps the sector_identifier_uri after its origin is no longer allowed', async () => {
  const { state, storage, register } = await publish(JSON.stringify(twoHosts))
  const { client } = await register({ redirectUris: twoHosts })

  const updated = await updateClient({ clientId: client.clientId }, { clientName: 'Renamed' }, { storage })

  expect(updated).toMatchObject({ outcome: 'updated', client: { clientName: 'Renamed' } })
  expect(state.requests).toBe(1)
})

it.each(['nonsense', '', 'https://', 'mailto:a@app.test', 'http://app.test/sector.json'])(
  'refuses an update of a pairwise client with the sector_identifier_uri %j (OIDC Registration §5)',
  async (sectorIdentifierUri) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const redirectUris = ['https://app.test/cb']
    const { client } = await registerClient({ clientName: 'App', subjectType: 'pairwise', redirectUris }, { storage })

    await expect(
      updateClient({ clientId: client.clientId }, { sectorIdentifierUri }, { storage }),
    ).rejects.toMatchObject({
      ...refused,
      description: 'sector_identifier_uri must use https, a host name and the default port.',
    })
    expect(await storage.clients.find(client.clientId)).toEqual(client)
  },
)

it('refuses to make the subjects of an existing client pairwise (OIDC Core §2)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const { client } = await registerClient({ clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })

  await expect(
    updateClient({ clientId: client.clientId }, { subjectType: 'pairwise' }, { storage }),
  ).rejects.toMatchObject(refused)
  expect((await storage.clients.find(client.clientId))?.version).toBe(1)
})
