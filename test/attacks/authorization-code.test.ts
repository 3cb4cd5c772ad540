import { type AuthorizationCodeRecord, clientId, epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import {
  authorize,
  basic,
  challenge,
  obtainCode,
  obtainTokens,
  redeem,
  token,
  verifier,
  type Change,
} from '../support/flow.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const invalidGrant = { status: 400, error: 'invalid_grant' }
const invalidClient = { status: 401, error: 'invalid_client' }

describe('strings that are not a valid code (RFC 6749 §5.2)', () => {
  it.each([
    ['a random string in the form of a code', 'Zm9yZ2VkLWZvcmdlZC1mb3JnZWQtZm9yZ2VkLWZvcmc'],
    ['a string of zeros', 'A'.repeat(43)],
    ['a word', 'undefined'],
    ['the name of an Object.prototype member', '__proto__'],
    ['SQL', "' OR '1'='1"],
    ['a path', '../../codes'],
    ['non-ASCII letters', 'код'],
  ])('rejects %s as a code', async (_, code) => {
    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, code),
      reason: 'code_unknown',
      secrets: [code],
    })
  })

  it('rejects every truncation, extension and change of one character; the original code still works', async () => {
    const code = await obtainCode(site)
    const truncated = Array.from({ length: code.length - 1 }, (_, at) => code.slice(0, at + 1))
    const changed = Array.from(code, (char, at) => code.slice(0, at) + (char === 'A' ? 'B' : 'A') + code.slice(at + 1))
    const extended = ['A', '=', '==', '.', ' ', '\n', '\0', '%', '&', '/', code].map((suffix) => code + suffix)
    const spelled = [code.toLowerCase(), code.toUpperCase(), ` ${code}`, code.slice(1), code.replaceAll(/[-_]/g, '+')]

    for (const wrong of new Set([...truncated, ...changed, ...extended, ...spelled])) {
      if (wrong === code) continue
      await expectJsonRefusal(site, invalidGrant, { send: () => redeem(site, wrong), reason: 'code_unknown' })
    }

    expect((await redeem(site, code)).status).toBe(200)
  })

  it('rejects a refresh token as a code, and a code as a refresh token', async () => {
    const tokens = await obtainTokens(site)
    const code = await obtainCode(site)
    const refresh = (value: string) => token(site, { grant_type: 'refresh_token', refresh_token: value })

    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, tokens['refresh_token'] ?? ''),
      reason: 'code_unknown',
    })
    await expectJsonRefusal(site, invalidGrant, { send: () => refresh(code), reason: 'refresh_token_unknown' })

    expect((await redeem(site, code)).status).toBe(200)
    expect((await refresh(tokens['refresh_token'] ?? '')).status).toBe(200)
  })

  it.each(['access_token', 'id_token'])('rejects the %s as a code', async (name) => {
    const tokens = await obtainTokens(site)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, tokens[name] ?? ''),
      reason: 'code_unknown',
    })
  })

  it('rejects an interaction handle as a code (RFC 9700 §4.7)', async () => {
    const started = await authorize(site, {}, { cookie: '' })
    const handle = started.location.searchParams.get('interaction') ?? ''

    await expectJsonRefusal(site, invalidGrant, { send: () => redeem(site, handle), reason: 'code_unknown' })
  })

  it.each([
    ['has expired', (code: AuthorizationCodeRecord) => ({ ...code, expiresAt: epochSeconds(0) })],
    ['belongs to another client', (code: AuthorizationCodeRecord) => ({ ...code, clientId: clientId('P') })],
  ])('rejects a code that %s, even if a faulty store returns it (RFC 6749 §5.2)', async (_, read) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const faulty = await startServer({
      storage: {
        ...storage,
        codes: {
          ...storage.codes,
          async consume(...presented) {
            const consumed = await storage.codes.consume(...presented)
            return consumed.outcome === 'absent' ? consumed : { ...consumed, record: read(consumed.record) }
          },
        },
      },
    })
    const code = await obtainCode(faulty)

    expect(await redeem(faulty, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    await faulty.close()
  })

  it('rejects a code of another issuer in the same database (RFC 9700 §4.4)', async () => {
    const database = createMemoryDatabase()
    const [here, there] = await Promise.all(
      ['https://as.test', 'https://other.test'].map((issuer) =>
        startServer({ issuer, storage: createMemoryStorage({ issuer, database }) }),
      ),
    )
    if (here === undefined || there === undefined) throw new Error('Two servers were expected.')
    const code = await obtainCode(there)

    await expectJsonRefusal(here, invalidGrant, { send: () => redeem(here, code), reason: 'code_unknown' })

    expect((await redeem(there, code)).status).toBe(200)
    await Promise.all([here.close(), there.close()])
  })
})

describe('a code works only for the client it was issued to (RFC 6749 §4.1.3)', () => {
  it('is unknown when another client without a secret presents it, and stays usable', async () => {
    const code = await obtainCode(site)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, code, { client_id: 'P' }, { authorization: '' }),
      reason: 'code_unknown',
      secrets: [code],
    })

    expect((await redeem(site, code)).status).toBe(200)
  })

  it('is unknown when another client presents it with its own secret, and stays usable', async () => {
    const code = await obtainCode(site)
    const asX = { client_id: 'X', client_secret: site.clients.X.secret }
    await redeem(site, 'x', asX, { authorization: '' })

    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, code, asX, { authorization: '' }),
      reason: 'code_unknown',
    })

    expect((await redeem(site, code)).status).toBe(200)
  })

  it.each([
    ['the client_id without the secret', { client_id: 'A' }, '', 'client_authentication_method'],
    ['no client authentication', {}, '', 'client_authentication_missing'],
    [
      'an authentication method other than the registered one',
      { client_id: 'A', client_secret: 'x' },
      '',
      'client_authentication_method',
    ],
    ['an empty secret', { client_id: 'A', client_secret: '' }, '', 'client_authentication_method'],
    ['a wrong secret', {}, basic('A', 'wrong'), 'client_credentials_wrong'],
    ['a Bearer token', {}, 'Bearer x', 'client_unknown'],
  ] as const)(
    'stays usable after a request with %s, which is rejected',
    async (_, change: Change, authorization, reason) => {
      const code = await obtainCode(site)

      await expectJsonRefusal(site, invalidClient, {
        send: () => redeem(site, code, change, { authorization }),
        reason,
        secrets: [code],
      })

      expect((await redeem(site, code)).status).toBe(200)
    },
  )

  it.each([
    ['a client_id that contradicts the Basic credentials', { client_id: 'P' }, 'client_id_contradicted'],
    [
      'two authentication methods at once (RFC 6749 §2.3)',
      { client_id: 'A', client_secret: 'x' },
      'client_authentication_twice',
    ],
  ] as const)('stays usable after a malformed request with %s', async (_, change, reason) => {
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => redeem(site, code, change), reason },
    )

    expect((await redeem(site, code)).status).toBe(200)
  })

  it('is rejected from a client that was disabled after the code was issued', async () => {
    const server = await startServer()
    const code = await obtainCode(server)
    await changeClient(server.storage, clientId('A'), { disabledAt: server.clock.now() })

    await expectJsonRefusal(server, invalidClient, { send: () => redeem(server, code), reason: 'client_disabled' })
    await server.close()
  })

  it('is rejected from a client that is no longer registered for the code grant (RFC 6749 §5.2)', async () => {
    const server = await startServer()
    await expectServing(server)
    const code = await obtainCode(server)
    await changeClient(server.storage, clientId('A'), { grantTypes: ['refresh_token'] })

    await expectJsonRefusal(
      server,
      { status: 400, error: 'unauthorized_client' },
      { send: () => redeem(server, code), reason: 'grant_type_not_registered' },
    )
    await server.close()
  })
})

describe('a code expires after 60 seconds (RFC 6749 §4.1.2)', () => {
  it.each([
    [60, 'code_unknown'],
    [61, 'code_unknown'],
    [3000, 'code_unknown'],
  ] as const)('is unknown after %i seconds', async (age, reason) => {
    const code = await obtainCode(site)
    site.clock.advance(age)

    await expectJsonRefusal(site, invalidGrant, { send: () => redeem(site, code), reason })
  })

  it('is accepted after 59 seconds', async () => {
    await expectServing(site)
    const code = await obtainCode(site)
    site.clock.advance(59)

    expect((await redeem(site, code)).status).toBe(200)
  })
})

describe('the kill switch: a code of a removed or deactivated user is unusable', () => {
  it.each([
    ['removed', (server: ServerUnderTest) => server.storage.users.remove(userId('U1'), server.clock.now())],
    ['deactivated', (server: ServerUnderTest) => server.storage.users.deactivate(userId('U1'), server.clock.now())],
    [
      'deactivated and reactivated',
      async (server: ServerUnderTest) => {
        await server.storage.users.deactivate(userId('U1'), server.clock.now())
        await server.storage.users.reactivate(userId('U1'), epochSeconds(server.clock.now() + 1))
      },
    ],
  ])('rejects the code when the user was %s after the authorization', async (_, end) => {
    const server = await startServer()
    await expectServing(server)
    const code = await obtainCode(server)
    await end(server)

    await expectJsonRefusal(server, invalidGrant, {
      send: () => redeem(server, code),
      reason: 'grant_inactive',
      storage: 'codes may change',
    })
    await server.close()
  })
})

it('a confidential client may send client_id in addition to its secret (RFC 6749 §2.3.1)', async () => {
  const code = await obtainCode(site, { code_challenge: challenge })

  expect((await redeem(site, code, { client_id: 'A' })).status).toBe(200)
})

it('no event contains a code, a verifier, a secret or a token (RFC 9700 §4.2)', async () => {
  const code = await obtainCode(site)
  await redeem(site, code, { client_id: 'A', client_secret: 'guess-1234' }, { authorization: '' })
  await redeem(site, 'forged-5678')
  const tokens = await redeem(site, code)

  const events = JSON.stringify(site.events)
  for (const secret of [
    code,
    'guess-1234',
    'forged-5678',
    verifier,
    site.clients.A.secret,
    String(tokens.json['access_token']),
  ]) {
    expect(events).not.toContain(secret)
  }
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))
