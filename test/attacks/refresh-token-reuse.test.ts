import { clientId, familyId, userId } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it, onTestFinished } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { readJws } from '../support/forge-jwt.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  storedFamilies,
  tokensFor,
  tokensOf,
  userinfo,
  type Tokens,
} from '../support/token-calls.ts'

// One file for the life of a token family: retries, reuse, expiry, and the end of its grant, user or client.
async function freshServer(options: Parameters<typeof startServer>[0] = {}): Promise<ServerUnderTest> {
  const site = await startServer(options)
  onTestFinished(() => site.close())
  await authenticateEveryClient(site)
  return site
}

/** Asserts that the server no longer accepts any token of the family. */
async function expectInactive(site: ServerUnderTest, ...family: readonly Tokens[]): Promise<void> {
  for (const tokens of family) {
    expect((await introspect(site, tokens.access_token)).text).toBe('{"active":false}')
    expect((await introspect(site, tokens.refresh_token)).text).toBe('{"active":false}')
    expect((await userinfo(site, tokens.access_token)).status).toBe(401)
    expect((await refresh(site, tokens.refresh_token)).status).toBe(400)
  }
}

const invalidGrant = { status: 400, error: 'invalid_grant' } as const

describe('a rotated refresh token is presented again', () => {
  it('after the retry window it revokes the family, including the newest token (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const second = tokensOf(await refresh(site, first.refresh_token))
    site.clock.advance(10)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, first.refresh_token),
      reason: 'refresh_token_reused',
      storage: 'may change',
      secrets: [first.refresh_token],
    })

    await expectInactive(site, first, second)
  })

  it('revokes only that family: another one of the same user and client stays active (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const other = await tokensFor(site, 'A')
    await refresh(site, first.refresh_token)
    site.clock.advance(10)
    await refresh(site, first.refresh_token)

    expect((await refresh(site, other.refresh_token)).status).toBe(200)
  })

  it('within the window it returns the successor of the lost response and writes only the time (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const lost = tokensOf(await refresh(site, first.refresh_token))
    site.clock.advance(9)
    const before = site.dump()

    const again = await refresh(site, first.refresh_token)

    expect([again.status, tokensOf(again).refresh_token]).toEqual([200, lost.refresh_token])
    expect(site.dump().replace(/"retriedAt": \d+,\s+/, '')).toBe(before)
    expect((await refresh(site, lost.refresh_token)).status).toBe(200)
  })

  it('a retry is refused when storage has lost the salt of the rotation (RFC 6749 §5.2)', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer: 'https://as.test', database })
    const { families } = storage
    const rotate: typeof families.rotate = async (request) => {
      const rotated = await families.rotate(request)
      if (rotated.outcome !== 'retried' || rotated.record.refresh === undefined) return rotated
      return {
        ...rotated,
        record: { ...rotated.record, refresh: { ...rotated.record.refresh, successorSalt: 'lost' } },
      }
    }
    const started = await freshServer({ storage: { ...storage, families: { ...families, rotate } } })
    const site = { ...started, dump: () => dumpDatabase(database, started.issuer) }
    const first = await tokensFor(site, 'A')
    await refresh(site, first.refresh_token)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, first.refresh_token),
      reason: 'refresh_token_unknown',
      storage: 'may change',
      secrets: [first.refresh_token],
    })
  })

  it('is refused when storage has lost its authorization details (RFC 9396 §7)', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer: 'https://as.test', database })
    const { families } = storage
    const insert: typeof families.insert = (family) => {
      const { authorizationDetails: _lost, ...rest } = family
      return families.insert(rest as typeof family)
    }
    const started = await freshServer({ storage: { ...storage, families: { ...families, insert } } })
    const site = { ...started, dump: () => dumpDatabase(database, started.issuer) }
    const { refresh_token: refreshToken } = await tokensFor(site, 'A')

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, refreshToken),
      reason: 'refresh_token_unknown',
      secrets: [refreshToken],
    })
  })

  it('a retry whose response was lost too can be repeated within the window after it (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const lost = tokensOf(await refresh(site, first.refresh_token))
    site.clock.advance(5)
    await refresh(site, first.refresh_token)
    site.clock.advance(6)

    const again = await refresh(site, first.refresh_token)

    expect([again.status, tokensOf(again).refresh_token]).toEqual([200, lost.refresh_token])
    expect((await refresh(site, lost.refresh_token)).status).toBe(200)
  })

  it('no number of retries extends the use of the token beyond six windows (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    await refresh(site, first.refresh_token)
    for (let elapsed = 6; elapsed < 60; elapsed += 6) {
      site.clock.advance(6)
      expect((await refresh(site, first.refresh_token)).status).toBe(200)
    }
    site.clock.advance(6)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, first.refresh_token),
      reason: 'refresh_token_reused',
      storage: 'may change',
    })
  })

  it('a public client has its own window (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'P')
    const second = tokensOf(await refresh(site, first.refresh_token, {}, 'P'))
    site.clock.advance(29)

    const retried = tokensOf(await refresh(site, first.refresh_token, {}, 'P'))
    site.clock.advance(30)
    const reused = await refresh(site, first.refresh_token, {}, 'P')

    expect(retried.refresh_token).toBe(second.refresh_token)
    expect([reused.status, site.lastReason()]).toEqual([400, 'refresh_token_reused'])
  })

  it('with a window of 0 the first retry revokes the family (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer({ refreshRetryWindow: { confidential: 0, public: 0 } })
    const first = await tokensFor(site, 'A')
    const second = tokensOf(await refresh(site, first.refresh_token))

    const retried = await refresh(site, first.refresh_token)

    expect([retried.status, site.lastReason()]).toEqual([400, 'refresh_token_reused'])
    await expectInactive(site, second)
  })

  it('a retry within the window cannot request more than was granted (RFC 6749 §6)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    await refresh(site, first.refresh_token, { scope: 'profile' })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_scope' },
      {
        send: () => refresh(site, first.refresh_token, { scope: 'api.write' }),
        reason: 'scope_not_granted',
      },
    )
  })

  it('the token before the previous one revokes the family, even within the window (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const second = tokensOf(await refresh(site, first.refresh_token))
    const third = tokensOf(await refresh(site, second.refresh_token))

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, first.refresh_token),
      reason: 'refresh_token_reused',
      storage: 'may change',
    })

    await expectInactive(site, second, third)
  })

  it('a rotated token presented by another client does not revoke the family (RFC 6749 §10.4)', async () => {
    const site = await freshServer()
    const first = await tokensFor(site, 'A')
    const second = tokensOf(await refresh(site, first.refresh_token))
    site.clock.advance(60)
    const families = storedFamilies(site)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, first.refresh_token, {}, 'B'),
      reason: 'refresh_token_unknown',
      storage: 'may change',
    })

    expect(storedFamilies(site)).toEqual(families)
    expect((await refresh(site, second.refresh_token)).status).toBe(200)
  })
})

describe('refresh token: its grant, user and client', () => {
  const day = 86_400

  it('a token that was not used for the idle lifetime is rejected (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer()
    const tokens = await tokensFor(site, 'A')
    site.clock.advance(14 * day)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, tokens.refresh_token),
      reason: 'refresh_token_unknown',
      storage: 'may change',
    })
  })

  it('rotation does not extend the absolute lifetime (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer({ lifetimes: { refreshTokenIdle: 10 * day, refreshTokenAbsolute: 25 * day } })
    let tokens = await tokensFor(site, 'A')
    for (const days of [9, 9, 6]) {
      site.clock.advance(days * day)
      tokens = tokensOf(await refresh(site, tokens.refresh_token))
    }
    site.clock.advance(day - 1)
    const last = await refresh(site, tokens.refresh_token)
    site.clock.advance(1)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, tokensOf(last).refresh_token),
      reason: 'refresh_token_unknown',
      storage: 'may change',
    })

    expect(last.status).toBe(200)
  })

  it('the access tokens of the family are inactive at the absolute maximum (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer({ lifetimes: { refreshTokenAbsolute: 1000 } })
    const tokens = await tokensFor(site, 'A')
    site.clock.advance(990)
    const { access_token } = tokensOf(await refresh(site, tokens.refresh_token))
    const before = (await introspect(site, access_token)).json['active']
    site.clock.advance(10)

    expect([before, (await introspect(site, access_token)).text]).toEqual([true, '{"active":false}'])
    expect((await userinfo(site, access_token)).status).toBe(401)
  })

  it.each<{ row: string; end: (site: ServerUnderTest) => Promise<unknown> }>([
    {
      row: 'a user who was deactivated',
      end: ({ storage, clock }) => storage.users.deactivate(userId('U1'), clock.now()),
    },
    {
      row: 'a user who was deactivated and is active again',
      end: async ({ storage, clock }) => {
        await storage.users.deactivate(userId('U1'), clock.now())
        await storage.users.reactivate(userId('U1'), clock.now())
      },
    },
    {
      row: 'a user who was removed (RFC 6749 §10.4)',
      end: ({ storage, clock }) => storage.users.remove(userId('U1'), clock.now()),
    },
    {
      row: 'a user who disconnected the client (RFC 6749 §10.4)',
      end: async ({ storage, clock }) => {
        const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
        if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
      },
    },
  ])('$row has no active token', async ({ end }) => {
    const site = await freshServer()
    const tokens = await tokensFor(site, 'A')
    await end(site)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => refresh(site, tokens.refresh_token),
      reason: 'refresh_token_unknown',
    })

    await expectInactive(site, tokens)
  })

  it('revoking only a token family revokes all its tokens (RFC 7009 §2.1)', async () => {
    const site = await freshServer()
    const tokens = await tokensFor(site, 'A')
    await site.storage.families.revoke(
      familyId(String(readJws(tokens.access_token).payload['family'])),
      site.clock.now(),
    )

    await expectInactive(site, tokens)
  })

  it('rejects a client that lost the refresh grant (RFC 6749 §5.2)', async () => {
    const site = await freshServer()
    const tokens = await tokensFor(site, 'A')
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code'] })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      {
        send: () => refresh(site, tokens.refresh_token),
        reason: 'grant_type_not_registered',
      },
    )
  })

  it('rejects a disabled client, and its tokens are inactive (RFC 6749 §5.2)', async () => {
    const site = await freshServer()
    const tokens = await tokensFor(site, 'A')
    await changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        send: () => refresh(site, tokens.refresh_token),
        reason: 'client_disabled',
      },
    )

    expect((await userinfo(site, tokens.access_token)).status).toBe(401)
  })
})

describe('a refresh token that is not rotated', () => {
  const withoutRotation = { refreshTokenRotation: 'unbound_only' } as const

  it('is returned at each use by a client that authenticates, even long after the retry window (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer(withoutRotation)
    const first = await tokensFor(site, 'A')

    for (const later of [0, 1, 3600]) {
      site.clock.advance(later)
      expect(tokensOf(await refresh(site, first.refresh_token)).refresh_token).toBe(first.refresh_token)
    }
  })

  it('expires when it is not used, and with its family (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer({
      ...withoutRotation,
      lifetimes: { refreshTokenIdle: 100, refreshTokenAbsolute: 250 },
    })
    const { refresh_token } = await tokensFor(site, 'A')
    const idle = await tokensFor(site, 'A')

    for (const expected of [200, 200, 400]) {
      site.clock.advance(99)
      expect((await refresh(site, refresh_token)).status).toBe(expected)
    }
    expect((await refresh(site, idle.refresh_token)).status).toBe(400)
  })

  it('is not issued to a public client whose token is not bound: its token is rotated (RFC 9700 §4.14.2)', async () => {
    const site = await freshServer(withoutRotation)
    const first = await tokensFor(site, 'P')

    const second = tokensOf(await refresh(site, first.refresh_token, {}, 'P'))

    expect(second.refresh_token).not.toBe(first.refresh_token)
    site.clock.advance(31)
    expect((await refresh(site, first.refresh_token, {}, 'P')).status).toBe(400)
    expect(site.lastReason()).toBe('refresh_token_reused')
  })

  it('does not work for a user who was deactivated (RFC 6749 §5.2)', async () => {
    const site = await freshServer(withoutRotation)
    const { refresh_token, access_token } = await tokensFor(site, 'A')
    await refresh(site, refresh_token)

    await site.storage.users.deactivate(userId('U1'), site.clock.now())

    expect((await refresh(site, refresh_token)).status).toBe(400)
    expect((await introspect(site, access_token)).text).toBe('{"active":false}')
  })
})
