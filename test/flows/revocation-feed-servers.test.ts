import { createAuthorizationServer } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it, onTestFinished } from 'vitest'

import { protectApi, startFeedSite, type FeedSite, type ProtectedApi } from '../support/feed-site.ts'
import { revoke, tokensFor } from '../support/token-calls.ts'

const forApi = { scope: 'openid offline_access api.read', resource: 'https://api.test' }

type Mode = 'on_demand' | 'follow'

const anApi = (mode: Mode, at: FeedSite): ProtectedApi => {
  const protectedApi = protectApi(at, { revocationFeed: { mode } })
  onTestFinished(() => protectedApi.api.stop())
  return protectedApi
}

/** Returns the site, served by another server that uses the given storage. */
function servedFrom(at: FeedSite, storage: AdminStorage): FeedSite {
  const options = { issuer: at.issuer, keys: at.keys, clock: at.clock.now, signedIn: () => Promise.resolve(undefined) }
  const server = createAuthorizationServer({ ...options, storage, revocationFeed: true })
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url instanceof Request ? url.url : url, init)
    const { status, headers, body } = await server.handle({
      method: request.method,
      url: new URL(request.url),
      headers: new Map(request.headers),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new Uint8Array(await request.arrayBuffer()),
    })
    return new Response(body as string | undefined, {
      status,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    })
  }
  return { ...at, fetch }
}

async function aSite(): Promise<FeedSite> {
  const at = await startFeedSite()
  onTestFinished(() => at.close())
  return at
}

describe('the end of a session', () => {
  it.each<Mode>(['on_demand', 'follow'])(
    'makes an API reject the access token that is bound to it, and no other (%s) (OIDC Back-Channel Logout §2.7)',
    async (mode) => {
      const at = await aSite()
      const bound = await tokensFor(at, 'A', { ...forApi, scope: 'openid api.read' })
      const offline = await tokensFor(at, 'A', forApi)
      const api = anApi(mode, at)
      const before = [await api.present(bound.access_token), await api.present(offline.access_token)]

      await at.server.endSession('sid-U1')
      at.clock.advance(1)

      expect(before).toEqual(['admitted', 'admitted'])
      await expect.poll(() => api.present(bound.access_token), { interval: 10 }).toBe('token_revoked')
      expect(api.refusals.at(-1)).toMatchObject({ code: 'invalid_token' })
      expect(await api.present(offline.access_token)).toBe('admitted')
    },
  )
})

describe('a second server, or a restarted one, on the same storage', () => {
  it.each<Mode>(['on_demand', 'follow'])(
    'delivers revocations that the first server made before and after the second one started (%s) (RFC 7009 §2.1)',
    async (mode) => {
      const at = await aSite()
      const [kept, before, during] = await Promise.all([1, 2, 3].map(() => tokensFor(at, 'A', forApi)))
      await revoke(at, before?.access_token ?? '')

      const api = anApi(mode, servedFrom(at, createMemoryStorage({ issuer: 'https://as.test', database: at.database })))
      const first = [await api.present(before?.access_token ?? ''), await api.present(during?.access_token ?? '')]
      await revoke(at, during?.access_token ?? '')
      at.clock.advance(1)

      expect(first).toEqual(['token_revoked', 'admitted'])
      await expect.poll(() => api.present(during?.access_token ?? ''), { interval: 10 }).toBe('token_revoked')
      expect(await api.present(kept?.access_token ?? '')).toBe('admitted')
    },
  )
})

describe('a restarted server whose storage was lost', () => {
  /** Starts a server with an empty storage, the same keys and the same clients, which are registered again. */
  async function startedAnew(at: FeedSite): Promise<FeedSite> {
    at.clock.advance(5)
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const clients = await at.storage.clients.list({ after: undefined, limit: 100 })
    for (const client of clients) await storage.clients.insert({ ...client, createdAt: at.clock.now() })
    return servedFrom(at, storage)
  }

  it('makes an API reject tokens that were issued earlier', async () => {
    const at = await aSite()
    const { access_token } = await tokensFor(at, 'A', forApi)

    const api = anApi('on_demand', await startedAnew(at))

    expect(await api.present(access_token)).toBe('token_unknown_to_feed')
    expect(api.refusals.at(-1)).toMatchObject({ code: 'invalid_token' })
  })

  it('reports earlier tokens as inactive to an API that may introspect (RFC 7662 §2)', async () => {
    const at = await aSite()
    const { access_token } = await tokensFor(at, 'A', forApi)

    const api = protectApi(await startedAnew(at), { revocationFeed: {}, introspection: {} })

    expect(await api.present(access_token)).toBe('token_inactive')
  })
})

describe('an unreachable server', () => {
  it('lets an API use the last revocations for ten seconds; then the API cannot check tokens (RFC 9110 §15.6.4)', async () => {
    const at = await aSite()
    const api = anApi('on_demand', at)
    const { access_token } = await tokensFor(at, 'A', forApi)
    const before = await api.present(access_token)

    at.setReachable(false)
    at.clock.advance(8)
    const tolerated = await api.present(access_token)
    at.clock.advance(5)
    const after = await api.present(access_token)
    at.setReachable(true)
    at.clock.advance(2)

    expect([before, tolerated, after]).toEqual(['admitted', 'admitted', 'authorization_server_unavailable'])
    expect(api.refusals.at(-1)).toMatchObject({ code: 'temporarily_unavailable' })
    expect(await api.present(access_token)).toBe('admitted')
  })
})
