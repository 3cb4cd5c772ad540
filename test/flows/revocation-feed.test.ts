import { createConnectedApps, type StoredKeyRing } from '@mintmark/core'
import { clientId, providerId, userId } from '@mintmark/storage-interface'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { jsonText } from '@mintmark/storage-interface/stores'

import { startFeedSite, protectApi, type FeedSite, type ProtectedApi } from '../support/feed-site.ts'
import { accessTokenType, exchangeGrant } from '../support/exchange-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { obtainCode, redeem } from '../support/flow.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import {
  introspect,
  postAs,
  refresh,
  revoke,
  serviceToken,
  tokensFor,
  tokensOf,
  type Tokens,
} from '../support/token-calls.ts'

const forApi = { scope: 'openid offline_access api.read', resource: 'https://api.test' }

let site: FeedSite
let scim: ScimSite
beforeAll(async () => {
  site = await startFeedSite({
    refreshRetryWindow: { confidential: 0 },
    tokenExchange: { rules: [{ clients: ['X'], mode: 'delegation', audiences: ['https://api.test'] }] },
  })
  await changeClient(site.storage, clientId('X'), {
    servedAudiences: ['https://api.test'],
    grantTypes: [exchangeGrant],
  })
  scim = await startScimSite({ oauth: site, clock: site.clock.now })
  await adoptU1()
})
afterAll(() => scim.close())

type Mode = 'on_demand' | 'follow'

const anApi = (mode: Mode): ProtectedApi => {
  const protectedApi = protectApi(site, { revocationFeed: { mode } })
  onTestFinished(() => protectedApi.api.stop())
  return protectedApi
}

/**
 * Presents the token until it is refused.
 * @returns the reason, and the time that it took in milliseconds. For a feed that is polled on demand, the clock measures
 * the time. Otherwise each read of the feed counts as 100 ms: the server reads it that often while a request waits.
 */
async function refusedAfter(
  api: ProtectedApi,
  token: string,
  mode: Mode,
): Promise<{ readonly reason: string; readonly milliseconds: number }> {
  const [startedAt, readsBefore] = [site.preciseClock(), site.feedReads()]
  const elapsed = (): number =>
    mode === 'on_demand' ? site.preciseClock() - startedAt : (site.feedReads() - readsBefore) * 100
  let reason = 'admitted'
  while (reason === 'admitted' && elapsed() < 5000) {
    reason = await api.present(token)
    if (mode === 'on_demand') site.clock.advance(0.05)
    else await new Promise((resolve) => setImmediate(resolve))
  }
  return { reason, milliseconds: elapsed() }
}

/** `PATCH` with `active: false`, as an identity provider sends it when it deprovisions a user (RFC 7644 §3.5.2). */
async function deactivateByProvider(): Promise<void> {
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', value: { active: false } }],
  }
  const reply = await scim.send({ method: 'PATCH', path: '/users/U1', body })
  if (reply.status !== 200) throw new Error(`SCIM answered ${reply.status} ${reply.text}`)
}

/** Lets the directory T1 provision U1. */
async function adoptU1(): Promise<void> {
  const version = (await site.storage.users.find(userId('U1')))?.version ?? 0
  const state = {
    active: true,
    externalId: 'x1',
    resource: jsonText({ userName: 'ann' }),
    renderKey: undefined,
    comparable: { userName: 'ann' },
    claims: {},
  }
  const change = { providerId: providerId('T1'), userId: userId('U1'), version, now: site.clock.now() }
  await site.storage.provisionedUsers.adopt({ ...change, state })
}

interface Ending {
  readonly row: string
  readonly end: (tokens: Tokens) => Promise<unknown>
  readonly undo?: () => Promise<unknown>
  /** Whether it revokes the user's grants to every client. */
  readonly endsAll?: boolean
}

async function refreshTwice({ refresh_token }: Tokens): Promise<void> {
  await refresh(site, refresh_token)
  await refresh(site, refresh_token)
}

async function disconnectAll(): Promise<void> {
  const apps = createConnectedApps({ storage: site.storage, clock: site.clock.now })
  for (const { grantId } of await apps.list('U1')) await apps.disconnect('U1', grantId)
}

const reviveU1 = (): Promise<unknown> => site.storage.users.reactivate(userId('U1'), site.clock.now())

describe.each<Mode>(['on_demand', 'follow'])('a resource server whose feed is %s', (mode) => {
  it.each<Ending>([
    { row: 'the access token is revoked (RFC 7009 §2.1)', end: ({ access_token }) => revoke(site, access_token) },
    { row: 'the refresh token is revoked (RFC 7009 §2.1)', end: ({ refresh_token }) => revoke(site, refresh_token) },
    { row: 'the refresh token is used twice (RFC 9700 §4.14.2)', end: refreshTwice },
    { row: 'the user disconnects the client', end: disconnectAll, endsAll: true },
    {
      row: 'the user is deactivated',
      end: () => site.storage.users.deactivate(userId('U1'), site.clock.now()),
      undo: reviveU1,
      endsAll: true,
    },
    {
      row: 'the user is deactivated by the identity provider',
      end: deactivateByProvider,
      undo: reviveU1,
      endsAll: true,
    },
    {
      row: 'the client is disabled',
      end: () => changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() }),
      undo: () => changeClient(site.storage, clientId('A'), { disabledAt: undefined }),
    },
  ])('rejects a token within a second, without a request per token, when $row', async ({ end, undo, endsAll }) => {
    const api = anApi(mode)
    const tokens = await tokensFor(site, 'A', forApi)
    const other = await tokensFor(site, 'P', { scope: 'openid api.read', resource: 'https://api.test' })
    const before = [await api.present(tokens.access_token, 'api.read'), await api.present(other.access_token)]
    site.requestedPaths.splice(0)
    onTestFinished(async () => void (await undo?.()))

    await end(tokens)
    const { reason, milliseconds } = await refusedAfter(api, tokens.access_token, mode)

    expect(before).toEqual(['admitted', 'admitted'])
    expect(reason).toBe('token_revoked')
    expect(milliseconds).toBeLessThan(1000)
    expect(site.requestedPaths.length).toBeLessThanOrEqual(3)
    expect(await api.present(other.access_token)).toBe(endsAll ? 'token_revoked' : 'admitted')
  })

  it('rejects tokens of a code that was presented twice (RFC 6749 §4.1.2)', async () => {
    const api = anApi(mode)
    const code = await obtainCode(site, forApi)
    const { access_token } = tokensOf(await redeem(site, code))
    const before = await api.present(access_token)

    await redeem(site, code)

    expect([before, (await refusedAfter(api, access_token, mode)).reason]).toEqual(['admitted', 'token_revoked'])
  })

  it('a reactivated user gets new tokens, and the old ones stay revoked', async () => {
    const api = anApi(mode)
    const old = await tokensFor(site, 'A', forApi)
    await api.present(old.access_token)

    await site.storage.users.deactivate(userId('U1'), site.clock.now())
    await site.storage.users.reactivate(userId('U1'), site.clock.now())
    await refusedAfter(api, old.access_token, mode)
    const fresh = await tokensFor(site, 'A', forApi)

    expect([await api.present(fresh.access_token), await api.present(old.access_token)]).toEqual([
      'admitted',
      'token_revoked',
    ])
  })

  it('accepts the tokens of a re-enabled client again', async () => {
    const api = anApi(mode)
    const { access_token } = tokensOf(await serviceToken(site, { resource: 'https://api.test' }))
    const before = await api.present(access_token)

    await changeClient(site.storage, clientId('M'), { disabledAt: site.clock.now() })
    const disabled = await refusedAfter(api, access_token, mode)
    await changeClient(site.storage, clientId('M'), { disabledAt: undefined })

    site.clock.advance(1)

    expect([before, disabled.reason]).toEqual(['admitted', 'token_revoked'])
    await expect.poll(() => api.present(access_token)).toBe('admitted')
  })

  it('still accepts the tokens of a client whose name was changed', async () => {
    const api = anApi(mode)
    const { access_token } = tokensOf(await serviceToken(site, { resource: 'https://api.test' }))
    await api.present(access_token)

    await changeClient(site.storage, clientId('M'), { clientName: 'Robot' })
    site.clock.advance(2)

    expect(await api.present(access_token)).toBe('admitted')
  })
})

describe('a signing key that is dropped', () => {
  /** Starts another site, whose API has just read the keys, and issues a token that the leaked key signs. */
  async function leak(mode: Mode, prepare: (keys: StoredKeyRing) => Promise<unknown> = async () => undefined) {
    const at = await startFeedSite()
    onTestFinished(() => at.close())
    const keys = at.keys as StoredKeyRing
    await prepare(keys)
    const api = protectApi(at, { revocationFeed: { mode } })
    onTestFinished(() => api.api.stop())
    const { access_token: token } = await tokensFor(at, 'A', forApi)
    const before = await api.present(token)
    const drop = (): Promise<unknown> => keys.drop(String(decodeProtectedHeader(token).kid))
    return { at, api, token, before, drop }
  }

  it('makes its tokens unusable within a second if its successor was announced (RFC 9700 §2.2)', async () => {
    const { at, api, token, before, drop } = await leak('on_demand', (keys) => keys.rotate({ when: 'now' }))

    await drop()
    at.clock.advance(0.9)

    expect([before, await api.present(token)]).toEqual(['admitted', 'token_revoked'])
    expect((await introspect(at, token)).json).toEqual({ active: false })
    const fresh = await tokensFor(at, 'A', forApi)
    expect(await api.present(fresh.access_token)).toBe('admitted')
  })

  it('makes its tokens unusable within the tolerated silence if the API read the keys shortly before and does not know the new one (RFC 9700 §2.2)', async () => {
    const { at, api, token, before, drop } = await leak('on_demand')

    await drop()
    at.clock.advance(10.1)
    const silent = await api.present(token)
    at.clock.advance(20)
    const informed = await api.present(token)

    expect([before, silent, informed]).toEqual(['admitted', 'authorization_server_unavailable', 'token_revoked'])
    const fresh = await tokensFor(at, 'A', forApi)
    expect(await api.present(fresh.access_token)).toBe('admitted')
  })
})

describe('metadata for an API', () => {
  it('introspection does not show which records a token depends on (RFC 7662 §2.2)', async () => {
    const { access_token } = await tokensFor(site, 'A', forApi)

    const { json } = await introspect(site, access_token)

    expect(json['active']).toBe(true)
    expect(
      Object.keys(json).filter((name) => ['client_ref', 'user_ref', 'family', 'grant', 'generation'].includes(name)),
    ).toEqual([])
  })

  it('discovery lists the feed where it is enabled (RFC 8414 §2)', async () => {
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect(json['revocation_feed_endpoint']).toBe('https://as.test/token/revocation-feed')
  })
})

describe('a token that was exchanged (RFC 8693)', () => {
  it.each([
    ['the token of the user is revoked', (own: Tokens) => revoke(site, own.access_token)],
    ['the family of the user is revoked', (own: Tokens) => revoke(site, own.refresh_token)],
    [
      'the client of the user is disabled',
      () => changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() }),
    ],
  ] as const)('is refused by an API that reads the feed after %s', async (_what, end) => {
    const own = await tokensFor(site, 'A', forApi)
    const form = { grant_type: exchangeGrant, subject_token: own.access_token, subject_token_type: accessTokenType }
    const exchanged = tokensOf(await postAs(site, 'X', { path: '/token', form })).access_token
    const api = anApi('on_demand')
    const before = await api.present(exchanged)

    await end(own)

    expect(before).toBe('admitted')
    expect(await refusedAfter(api, exchanged, 'on_demand')).toMatchObject({ reason: 'token_revoked' })
    await changeClient(site.storage, clientId('A'), { disabledAt: undefined })
  })
})
