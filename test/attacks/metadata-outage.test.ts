import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { plainRequest } from '../support/plain-request.ts'
import { interceptStorage, startProbedServer, type ProbedServer } from '../support/probed-server.ts'
import type { Reply } from '../support/send.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  revoke,
  serviceToken,
  tokensFor,
  tokensOf,
  userinfo,
  type Tokens,
} from '../support/token-calls.ts'

let site: ProbedServer
let tokens: Tokens
beforeEach(async () => {
  site = await startProbedServer({
    resources: { 'https://api.test': { scopes: ['api.read', 'api.write'], accessTokenFormat: 'opaque' } },
  })
  await authenticateEveryClient(site)
  tokens = await tokensFor(site, 'A')
})
afterEach(() => site.close())

/** Asserts that an outage is reported as an outage, never as a decision about the request. */
function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.json['error']]).toEqual([503, 'temporarily_unavailable'])
  expect(Number(reply.header('retry-after'))).toBeGreaterThan(0)
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.text).not.toMatch(/active|is down|families|clients/)
  expect(site.lastReason()).toBe('storage_unavailable')
}

interface Operation {
  readonly name: string
  readonly send: () => Promise<Reply>
  /** Checks the response to the request when it is sent again after the outage. */
  readonly afterwards: (reply: Reply) => Promise<void> | void
}

const operations: readonly Operation[] = [
  {
    name: 'a refresh (RFC 6749 §6)',
    send: () => refresh(site, tokens.refresh_token),
    afterwards: async (reply) => {
      expect(reply.status).toBe(200)
      expect((await refresh(site, tokensOf(reply).refresh_token)).status).toBe(200)
    },
  },
  {
    name: 'a client credentials request (RFC 6749 §4.4)',
    send: () => serviceToken(site, { resource: 'https://api.test' }),
    afterwards: (reply) => expect(reply.status).toBe(200),
  },
  {
    name: 'introspection of an access token (RFC 7662 §2.2)',
    send: () => introspect(site, tokens.access_token),
    afterwards: (reply) => expect(reply.json['active']).toBe(true),
  },
  {
    name: 'introspection of a refresh token (RFC 7662 §2.2)',
    send: () => introspect(site, tokens.refresh_token),
    afterwards: (reply) => expect(reply.json['active']).toBe(true),
  },
  {
    name: 'introspection of an unknown opaque token (RFC 7662 §2.2)',
    send: () => introspect(site, 'A'.repeat(43)),
    afterwards: (reply) => expect(reply.json).toEqual({ active: false }),
  },
  {
    name: 'revocation of a refresh token (RFC 7009 §2.2.1)',
    send: () => revoke(site, tokens.refresh_token),
    afterwards: async (reply) => {
      expect(reply.status).toBe(200)
      expect((await introspect(site, tokens.access_token)).json).toEqual({ active: false })
    },
  },
  {
    name: 'revocation of an access token (RFC 7009 §2.2.1)',
    send: () => revoke(site, tokens.access_token),
    afterwards: async (reply) => {
      expect(reply.status).toBe(200)
      expect((await introspect(site, tokens.access_token)).json).toEqual({ active: false })
    },
  },
  {
    name: 'userinfo (RFC 6750 §3.1)',
    send: () => userinfo(site, tokens.access_token),
    afterwards: (reply) => expect(reply.json['sub']).toBe('U1'),
  },
]

describe('a storage outage in the middle of a request', () => {
  it.each(operations)(
    '$name returns 503, whichever storage call fails, and can be retried',
    async ({ send, afterwards }) => {
      let failed = 0
      for (;;) {
        const at = failed + 1
        site.probe.failWhen((_, index) => index === at)
        const reply = await send()
        site.probe.failWhen(undefined)
        if (reply.status !== 503) break
        expectUnavailable(reply)
        failed = at
      }

      await afterwards(await send())
      expect(failed).toBeGreaterThan(0)
    },
  )

  it('a failed revocation has changed nothing, and a retry completes it (RFC 7009 §2.2.1)', async () => {
    const before = site.dump()
    site.probe.failWhen((call) => call === 'families.revoke')
    expectUnavailable(await revoke(site, tokens.refresh_token))
    site.probe.failWhen(undefined)

    expect(site.dump()).toBe(before)
    expect((await revoke(site, tokens.refresh_token)).status).toBe(200)
    expect((await introspect(site, tokens.access_token)).text).toBe('{"active":false}')
  })

  it('a refresh that failed after the rotation returns the same successor on retry (RFC 6749 §6)', async () => {
    const scope = 'openid offline_access api.read'
    const opaque = await tokensFor(site, 'A', { scope, resource: 'https://api.test' })
    site.probe.failWhen((call) => call === 'opaqueTokens.insert')
    expectUnavailable(await refresh(site, opaque.refresh_token))
    site.probe.failWhen(undefined)

    const retried = await refresh(site, opaque.refresh_token)

    expect(retried.status).toBe(200)
    expect((await refresh(site, tokensOf(retried).refresh_token)).status).toBe(200)
  })
})

describe('a complete storage outage', () => {
  it('serves discovery and, once loaded, the key set from memory (RFC 8414 §3)', async () => {
    site.probe.failWhen(() => true)

    const replies = await Promise.all(
      ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/jwks'].map((path) =>
        site.send({ path }),
      ),
    )

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(site.probe.calls).toEqual([])
  })

  it('serves a stale key set from memory, but neither signs nor accepts tokens with it (RFC 5861 §4)', async () => {
    const before = await site.send({ path: '/jwks' })
    site.probe.failWhen((call) => call === 'signingKeys.list')
    site.clock.advance(5)

    const after = await site.send({ path: '/jwks' })

    expect([after.status, after.text, after.header('etag')]).toEqual([200, before.text, before.header('etag')])
    expectUnavailable(await introspect(site, tokens.access_token))
    expectUnavailable(await refresh(site, tokens.refresh_token))
    site.probe.failWhen(undefined)
    expect((await introspect(site, tokens.access_token)).json['active']).toBe(true)
  })

  it('serves no stale key set when keys cannot be read for a reason other than an outage', async () => {
    const issuer = 'https://as.test'
    const storage = createMemoryStorage({ issuer })
    const stored = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
    let isBroken = false
    const publicKeys = () => (isBroken ? Promise.reject(new Error('broken')) : stored.publicKeys())
    const keys = { ...stored, publicKeys }
    const server = createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined) })
    const read = () => server.handle(plainRequest(issuer, { path: '/jwks' }))
    expect((await read()).status).toBe(200)
    isBroken = true

    expect((await read()).status).toBe(500)
  })

  it.each(operations)('$name returns 503, never active or inactive (RFC 9110 §15.6.4)', async ({ send }) => {
    site.probe.failWhen(() => true)

    expectUnavailable(await send())
  })

  it('loads keys on a later request if the first load failed (RFC 7517 §5)', async () => {
    let isDown = true
    const issuer = 'https://as.test'
    const storage = interceptStorage(createMemoryStorage({ issuer }), (call) => {
      if (isDown) throw new StorageUnavailableError(call)
    })
    const keys = createStoredKeys({
      storage,
      sealingKey: Buffer.alloc(32, 7).toString('base64url'),
      algorithms: ['ES256'],
    })
    const server = createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined) })
    const read = (path: string) => server.handle(plainRequest(issuer, { path }))

    const [discovery, before] = [await read('/.well-known/openid-configuration'), await read('/jwks')]
    isDown = false
    const after = await read('/jwks')

    expect([discovery.status, before.status, after.status]).toEqual([200, 503, 200])
    expect(new Map(before.headers).get('Retry-After')).toBe('5')
    expect(new Map(before.headers).get('Cache-Control')).toBe('no-store')
  })
})
