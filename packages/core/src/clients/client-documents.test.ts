import { type AdminStorage, epochSeconds, seconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import type { OutboundClient } from '../outbound/client.ts'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import { createOpenClients } from './open-registration.ts'
import { createDocumentReader } from './document-reader.ts'

const openClients = createOpenClients(undefined, {
  issuer: 'https://as.test',
  keys: { deriveSecrets: () => Promise.resolve([]) },
  minimumProfile: 'standard',
})

it('fetches a document once for a thousand simultaneous visits', async () => {
  const id = 'https://cli.test/oauth.json'
  const body = JSON.stringify({ client_id: id, client_name: 'Tool', redirect_uris: ['https://cli.test/cb'] })
  const headers = new Headers({ 'content-type': 'application/json' })
  const requested: string[] = []
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  let visits = 0
  const documents = createClientDocuments(
    {
      // Called just before the cache is read: the response is held back until every visit has got this far.
      allow: () => {
        visits += 1
        if (visits === 1000) release()
        return true
      },
      scopes: ['openid'],
      redirects: 'same_origin',
      staleFor: seconds(60),
    },
    {
      storage: createMemoryStorage({ issuer: 'https://as.test' }),
      openClients,
      allowedOrigins: [],
      readers: readersOver({
        async request({ url }) {
          requested.push(url)
          await released
          return { outcome: 'answered', status: 200, headers, body }
        },
      }),
    },
  )

  const clients = await Promise.all(Array.from({ length: 1000 }, () => documents.identify(id, epochSeconds(1000))))

  expect(new Set(clients.map(({ clientName }) => clientName))).toEqual(new Set(['Tool']))
  expect(requested).toEqual([id])
})

it('keeps the latest of two documents that are kept concurrently', async () => {
  const id = 'https://cli.test/oauth.json'
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const [first, second, third] = await Promise.all(
    ['First', 'Second', 'Third'].map(async (name, index) => {
      const documents = documentsNamed(name, id, storage)
      return { documents, client: await documents.identify(id, epochSeconds(1000 + index)) }
    }),
  )
  if (first === undefined || second === undefined || third === undefined) throw new Error('no client')
  await first.documents.keep(first.client)

  const kept = await Promise.all([second.documents.keep(second.client), third.documents.keep(third.client)])

  expect(kept).toEqual(['changed', 'changed'])
  expect(await storage.clients.find(first.client.clientId)).toMatchObject({ clientName: 'Third' })
})

it('records when the document of a kept client was last read, even if the document has not changed', async () => {
  const id = 'https://cli.test/oauth.json'
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const documents = documentsNamed('Tool', id, storage)
  const first = await documents.identify(id, epochSeconds(1000))
  await documents.keep(first)
  const second = await documents.identify(id, epochSeconds(1100))

  expect(await documents.keep(second)).toBe('kept')
  expect(await storage.clients.find(first.clientId)).toMatchObject({ documentReadAt: 1100 })
  expect(await documents.keep(first)).toBe('kept')
  expect(await storage.clients.find(first.clientId)).toMatchObject({ documentReadAt: 1100 })
})

it('refuses an unregistered client whose identifier is not an https URL', async () => {
  const documents = documentsNamed(
    'Tool',
    'https://cli.test/oauth.json',
    createMemoryStorage({ issuer: 'https://as.test' }),
  )

  await expect(documents.identify('app', epochSeconds(1000))).rejects.toMatchObject({ reason: 'client_unknown' })
})

it('refuses a client that an administrator has disabled since it was identified', async () => {
  const id = 'https://cli.test/oauth.json'
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const documents = documentsNamed('Tool', id, storage)
  const client = await documents.identify(id, epochSeconds(1000))
  await storage.clients.insert({ ...client, disabledAt: epochSeconds(1001) })

  await expect(documents.keep(client)).rejects.toMatchObject({ reason: 'client_disabled' })
})

function readersOver(outbound: OutboundClient) {
  const reader = () =>
    createDocumentReader({ outbound, allowedOrigins: [], limits: [], capacity: { outside: (_, wait) => wait() } })
  return { ofStored: reader(), ofUnknown: reader() }
}

/** Creates the documents of a server that reads this name in the document of a client. */
function documentsNamed(name: string, id: string, storage: AdminStorage): ClientDocuments {
  const body = JSON.stringify({ client_id: id, client_name: name, redirect_uris: ['https://cli.test/cb'] })
  const headers = new Headers({ 'content-type': 'application/json' })
  return createClientDocuments(
    { allow: () => true, scopes: ['openid'], redirects: 'same_origin', staleFor: seconds(60) },
    {
      storage,
      openClients,
      allowedOrigins: [],
      readers: readersOver({ request: () => Promise.resolve({ outcome: 'answered', status: 200, headers, body }) }),
    },
  )
}
