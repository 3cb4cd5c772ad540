import {
  type AuthorizationServerOptions,
  createCookieSessions,
  defineGrant,
  grantForUser,
  registerClient,
} from '@mintmark/core'
import { type AdminStorage, type Brand, clientId, providerId, seconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonText } from '@mintmark/storage-interface/stores'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, basic, obtainCode, redeem, signedInAs, token } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  revoke,
  tokensFor,
  tokensOf,
  userinfo,
} from '../support/token-calls.ts'

type Find = NonNullable<AuthorizationServerOptions['users']>['find']
type Answer = Awaited<ReturnType<Find>>

/** Starts a server whose option `users` calls `table.find` if it exists, and otherwise reads `table.rows`. */
async function serverOf(table: { rows: Record<string, Answer>; find?: Find }, timeout?: number) {
  const asked: string[] = []
  const site: ServerUnderTest = await startServer({
    users: {
      async find(subject, call) {
        asked.push(subject)
        return table.find === undefined ? table.rows[subject] : table.find(subject, call)
      },
      ...(timeout !== undefined && { timeout }),
    },
  })
  onTestFinished(() => site.close())
  return { site, asked }
}

const issuer = 'https://as.test'
const ann = { active: true, claims: { name: 'Ann of the host' } }
const scope = 'openid profile offline_access'
const unavailable = { status: 503, json: { error: 'temporarily_unavailable' } }

describe('the option users', () => {
  it('creates the row of a user at the first sign-in, and stores no claims (OIDC Core §2)', async () => {
    const { site } = await serverOf({ rows: { H1: ann } })

    const code = await obtainCode(site, { scope }, { cookie: signedInAs(site, 'H1') })
    const tokens = tokensOf(await redeem(site, code))

    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: 'H1', name: 'Ann of the host' })
    expect(await site.storage.users.find(userId('H1'))).toMatchObject({ active: true, claims: {}, version: 1 })
  })

  it('refuses a user who is not in the table, and creates no row (RFC 6749 §4.1.2.1)', async () => {
    const { site } = await serverOf({ rows: {} })

    const refused = await authorize(site, { prompt: 'none' }, { cookie: signedInAs(site, 'H1') })

    expect(refused.location.searchParams.get('error')).toBe('login_required')
    expect(await site.storage.users.find(userId('H1'))).toBeUndefined()
  })

  it.each(['U2', 'U3'])(
    'does not restore %s, who was deactivated or removed in storage (OIDC Core §2)',
    async (user) => {
      const { site } = await serverOf({ rows: { [user]: ann } })

      const refused = await authorize(site, { prompt: 'none' }, { cookie: signedInAs(site, user) })

      expect(refused.location.searchParams.get('error')).toBe('login_required')
    },
  )

  it('reads the current claims for userinfo and each refresh, not the stored ones (OIDC Core §5.3.2)', async () => {
    const table = { rows: { U1: ann } as Record<string, Answer> }
    const { site } = await serverOf(table)
    const tokens = await tokensFor(site, 'A', { scope })
    table.rows['U1'] = { active: true, claims: { name: 'Ann Married' } }

    const about = await userinfo(site, tokens.access_token)
    const next = tokensOf(await refresh(site, tokens.refresh_token))

    expect(about.json).toEqual({ sub: 'U1', name: 'Ann Married' })
    expect(decodeJwt(next.id_token)).toMatchObject({ name: 'Ann Married' })
    expect(decodeJwt(next.id_token)).not.toHaveProperty('nickname')
  })

  it('permanently revokes everything issued to a user whom the table calls inactive (RFC 6749 §5.2)', async () => {
    const table = { rows: { U1: ann } as Record<string, Answer> }
    const { site } = await serverOf(table)
    const tokens = await tokensFor(site, 'A', { scope })
    table.rows['U1'] = { active: false, claims: {} }

    expect(await refresh(site, tokens.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect(site.lastReason()).toBe('refresh_token_unknown')
    expect(site.events).toContainEqual(expect.objectContaining({ type: 'session.ended', reason: 'host' }))

    table.rows['U1'] = ann
    expect(await refresh(site, tokens.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect((await introspect(site, tokens.access_token)).json).toEqual({ active: false })
    // The user may sign in again: the row in storage is not deactivated.
    expect(await site.storage.users.find(userId('U1'))).toMatchObject({ active: true, generation: 0 })
  })

  it('refuses a user whom the table no longer has, and revokes nothing, because a replica may lag (RFC 7662 §2.2)', async () => {
    const table = { rows: { U1: ann } as Record<string, Answer> }
    const { site } = await serverOf(table)
    const tokens = await tokensFor(site, 'A', { scope })
    table.rows = {}

    expect((await introspect(site, tokens.access_token)).json).toEqual({ active: false })
    expect(await userinfo(site, tokens.access_token)).toMatchObject({ status: 401 })

    table.rows['U1'] = ann
    expect((await introspect(site, tokens.access_token)).json).toMatchObject({ active: true })
  })

  it('never overrides a deactivation in storage: table and storage must both say that the user is active (RFC 6749 §5.2)', async () => {
    const { site, asked } = await serverOf({ rows: { U1: ann } })
    const tokens = await tokensFor(site, 'A', { scope })
    await site.storage.users.deactivate(userId('U1'), site.clock.now())
    const before = asked.length

    expect(await refresh(site, tokens.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect(asked.length).toBe(before)
  })

  it('is not called for users whom an identity provider provisions (RFC 7644 §3.3)', async () => {
    const { site, asked } = await serverOf({ rows: {} })
    const version = (await site.storage.users.find(userId('U1')))?.version ?? 0
    const change = { providerId: providerId('acme'), userId: userId('U1'), version, now: site.clock.now() }
    const resource = { userName: 'ann' }
    await site.storage.provisionedUsers.adopt({
      ...change,
      state: {
        active: true,
        externalId: 'x1',
        resource: jsonText(resource),
        renderKey: undefined,
        comparable: resource,
        claims: { name: 'Ann of the directory' },
      },
    })

    const tokens = await tokensFor(site, 'A', { scope })

    expect(decodeJwt(tokens.id_token)).toMatchObject({ name: 'Ann of the directory' })
    expect(asked).toEqual([])
  })

  it('is called with the identifier of the user, not with the pairwise subject of a client (OIDC Core §8.1)', async () => {
    const { site, asked } = await serverOf({ rows: { U1: ann } })
    await changeClient(site.storage, clientId('A'), { subjectType: 'pairwise' })

    const tokens = await tokensFor(site, 'A', { scope })
    await introspect(site, tokens.access_token)

    expect(decodeJwt(tokens.id_token).sub).not.toBe('U1')
    expect(new Set(asked)).toEqual(new Set(['U1']))
  })
})

const failures: readonly (readonly [string, Find])[] = [
  ['fails', () => Promise.reject(new Error('connection refused at db.internal'))],
  [
    'throws',
    () => {
      throw new Error('no pool')
    },
  ],
  [
    'does not answer in time',
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ann))),
  ],
  ['answers without active', async () => ({ claims: {} }) as never],
  ['answers with claims that are not an object', async () => ({ active: true, claims: [] }) as never],
]

describe.each(failures)('a table of users that %s', (_, find) => {
  it('leaves the code, the refresh token and storage unchanged (RFC 6749 §5.2)', async () => {
    const table: { rows: Record<string, Answer>; find?: Find } = { rows: { U1: ann } }
    const { site } = await serverOf(table, 0.05)
    const { refresh_token, access_token } = await tokensFor(site, 'A', { scope })
    const code = await obtainCode(site, { scope })
    await authenticateEveryClient(site)
    const before = site.dump()
    table.find = find

    const answers = [
      await redeem(site, code),
      await refresh(site, refresh_token),
      await userinfo(site, access_token),
      await introspect(site, access_token),
    ]

    for (const answer of answers) {
      expect(answer).toMatchObject(unavailable)
      expect(answer.header('retry-after')).toBe('5')
      expect(answer.text).not.toContain('db.internal')
    }
    expect(site.lastReason()).toBe('users_unavailable')
    expect(site.dump()).toBe(before)
    delete table.find
    expect((await redeem(site, code)).status).toBe(200)
    expect((await refresh(site, refresh_token)).status).toBe(200)
  })

  it('leads to an error page at the authorization endpoint, and nothing is stored (RFC 6749 §4.1.2.1)', async () => {
    const { site } = await serverOf({ rows: {}, find }, 0.05)
    const before = site.dump()

    const refused = await authorize(site)

    expect(refused.status).toBe(503)
    expect(refused.header('retry-after')).toBe('5')
    expect(refused.text).not.toContain('db.internal')
    expect(site.lastReason()).toBe('users_unavailable')
    expect(site.dump()).toBe(before)
  })

  it('neither stops a client from revoking tokens nor hides a replayed code (RFC 7009 §2.1, RFC 6749 §4.1.2)', async () => {
    const table: { rows: Record<string, Answer>; find?: Find } = { rows: { U1: ann } }
    const { site } = await serverOf(table, 0.05)
    const revoked = await tokensFor(site, 'A', { scope })
    const code = await obtainCode(site, { scope })
    const replayed = tokensOf(await redeem(site, code))
    table.find = find

    expect((await revoke(site, revoked.refresh_token)).status).toBe(200)
    expect(await redeem(site, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })

    delete table.find
    expect((await introspect(site, revoked.access_token)).json).toEqual({ active: false })
    expect((await introspect(site, replayed.access_token)).json).toEqual({ active: false })
  })
})

it('the option users is called twice for a code, and once each for a refresh, userinfo and introspection (RFC 6749 §5.2)', async () => {
  const { site, asked } = await serverOf({ rows: { U1: ann } })
  const code = await obtainCode(site, { scope })
  const counted = async <Result>(call: () => Promise<Result>): Promise<readonly [number, Result]> => {
    const before = asked.length
    const result = await call()
    return [asked.length - before, result]
  }

  const [forCode, redeemed] = await counted(() => redeem(site, code))
  const { access_token, refresh_token } = tokensOf(redeemed)
  const [forRefresh] = await counted(() => refresh(site, refresh_token))
  const [forUserinfo] = await counted(() => userinfo(site, access_token))
  const [forIntrospection] = await counted(() => introspect(site, access_token))

  expect([forCode, forRefresh, forUserinfo, forIntrospection]).toEqual([2, 1, 1, 1])
})

describe('the option users in sessions, in grants and at start-up', () => {
  const request = {
    method: 'GET',
    url: new URL(issuer),
    headers: new Map<string, string>(),
    repeatedHeaders: new Set<string>(),
    host: undefined,
    body: new Uint8Array(),
  }
  const users = { find: async (id: string) => (id === 'H1' ? ann : undefined) }

  it('lets createCookieSessions sign in a user who has no row yet', async () => {
    const storage = createMemoryStorage({ issuer })
    const sessions = createCookieSessions({ storage, users })

    const started = await sessions.start(request, { subject: 'H1' })
    const unknown = await sessions.start(request, { subject: 'H2' })

    expect([started.headers.length, unknown.headers.length]).toEqual([1, 0])
    expect(await storage.users.find(userId('H1'))).toMatchObject({ claims: {} })
  })

  it('lets a grant type of the host refuse a user who is inactive in the table (RFC 6749 §5.2)', async () => {
    const storage = createMemoryStorage({ issuer })
    const site = await startServer({ storage, grants: [badgeGrant(storage)] })
    onTestFinished(() => site.close())
    const client = await registerClient({ clientId: 'door', clientName: 'Door', grantTypes: [badgeType] }, { storage })

    const refused = await token(
      site,
      { grant_type: badgeType },
      { authorization: basic('door', client.clientSecret ?? '') },
    )

    expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect(site.lastReason()).toBe('grant_refused')
    expect(await storage.grants.listByUser(userId('U1'))).toEqual([])
  })

  it.each([{ timeout: 0 }, { timeout: 31 }, { find: 'table' }, { tmeout: 1 }])(
    'is refused at start-up with %j',
    async (wrong) => {
      const options = { ...users, ...wrong } as typeof users
      await expect(startServer({ users: options })).rejects.toThrow('users')
    },
  )
})

type ReadBadge = Brand<{ readonly badge: string }, 'GrantEvidence'>
const badgeType = 'urn:example:params:oauth:grant-type:badge'

const badgeGrant = (storage: AdminStorage) =>
  defineGrant({
    grantType: badgeType,
    async decide(_, { client, possession }, now) {
      const given = { client, signedIn: { subject: 'U1', authTime: now }, scopes: [], lifetime: seconds(60) }
      const find = async () => ({ active: false, claims: {} })
      const forUser = await grantForUser(given, now, { storage, users: { find } })
      const target = { audience: [issuer], scopes: [], lifetime: seconds(60), format: 'jwt' } as const
      return { evidence: { badge: 'b1' } as ReadBadge, client, possession, target, forUser, refreshToken: undefined }
    },
  })
