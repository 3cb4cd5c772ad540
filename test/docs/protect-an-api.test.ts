import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it, onTestFinished } from 'vitest'

import { send } from '../support/send.ts'
import { createApi } from '../../docs/snippets/protect-an-api/api-with-feed.ts'
import { app } from '../../docs/snippets/protect-an-api/express-api.ts'
import { worker } from '../../docs/snippets/protect-an-api/fetch-api.ts'
import { createServers } from '../../docs/snippets/protect-an-api/server-with-feed.ts'

it('the APIs of the guide answer with a challenge and serve their metadata (RFC 6750 §3)', async () => {
  const listener = createServer(app)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => void (await new Promise((resolve) => listener.close(resolve))))
  const { port } = listener.address() as AddressInfo

  const [refused, metadata] = [
    await send(port, { path: '/orders' }),
    await send(port, { path: '/.well-known/oauth-protected-resource' }),
  ]
  const byFetch = await worker.fetch(new Request('https://api.example.com/orders'))

  expect([refused.status, metadata.json['resource'], byFetch.status]).toEqual([401, 'https://api.example.com', 401])
  expect(byFetch.headers.get('www-authenticate')).toContain('resource_metadata=')
})

it('the server of the guide serves the revocation feed, and its API accepts the registered credentials', async () => {
  const storage = createMemoryStorage({ issuer: 'https://id.example.com' })

  const { server, credentials } = await createServers(storage, 'A'.repeat(43))
  const api = createApi({ clientId: credentials.client.clientId, clientSecret: credentials.clientSecret ?? '' })

  expect(server.serves('/token/revocation-feed')).toBe(true)
  expect(api.metadata?.path).toBe('/.well-known/oauth-protected-resource')
})
