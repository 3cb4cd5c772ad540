import { clientId, epochSeconds, userId } from '@mintmark/storage-interface'
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
import { expectServing, refusedInJson } from '../support/refused.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
  await expectServing(under)
})
afterAll(() => under.close())

const invalidGrant = { status: 400, error: 'invalid_grant' }
const invalidClient = { status: 401, error: 'invalid_client' }

describe('what is no code (RFC 6749 §5.2)', () => {
  it.each([
    ['a random one, well-formed', 'Zm9yZ2VkLWZvcmdlZC1mb3JnZWQtZm9yZ2VkLWZvcmc'],
    ['all zeros', 'A'.repeat(43)],
    ['a word', 'undefined'],
    ['a name of objects', '__proto__'],
    ['SQL', "' OR '1'='1"],
    ['a path', '../../codes'],
    ['letters beyond ASCII', 'код'],
  ])('%s', async (_, code) => {
    await refusedInJson(under, invalidGrant, {
      send: () => redeem(under, code),
      reason: 'code_unknown',
      secrets: [code],
    })
  })

  it('every truncation, every suffix and every changed character of a code; the code itself still is one', async () => {
    const code = await obtainCode(under)
    const truncated = Array.from({ length: code.length - 1 }, (_, at) => code.slice(0, at + 1))
    const changed = Array.from(code, (char, at) => code.slice(0, at) + (char === 'A' ? 'B' : 'A') + code.slice(at + 1))
    const extended = ['A', '=', '==', '.', ' ', '\n', '\0', '%', '&', '/', code].map((suffix) => code + suffix)
    const spelled = [code.toLowerCase(), code.toUpperCase(), ` ${code}`, code.slice(1), code.replaceAll(/[-_]/g, '+')]

    for (const wrong of new Set([...truncated, ...changed, ...extended, ...spelled])) {
      if (wrong === code) continue
      await refusedInJson(under, invalidGrant, { send: () => redeem(under, wrong), reason: 'code_unknown' })
    }

    expect((await redeem(under, code)).status).toBe(200)
  })

  it('a refresh token as code, and a code as refresh token', async () => {
    const tokens = await obtainTokens(under)
    const code = await obtainCode(under)
    const refresh = (value: string) => token(under, { grant_type: 'refresh_token', refresh_token: value })

    await refusedInJson(under, invalidGrant, {
      send: () => redeem(under, tokens['refresh_token'] ?? ''),
      reason: 'code_unknown',
    })
    await refusedInJson(under, invalidGrant, { send: () => refresh(code), reason: 'refresh_token_unknown' })

    expect((await redeem(under, code)).status).toBe(200)
    expect((await refresh(tokens['refresh_token'] ?? '')).status).toBe(200)
  })

  it.each(['access_token', 'id_token'])('the %s as code', async (name) => {
    const tokens = await obtainTokens(under)

    await refusedInJson(under, invalidGrant, { send: () => redeem(under, tokens[name] ?? ''), reason: 'code_unknown' })
  })

  it('the handle of an interaction as code (RFC 9700 §4.7)', async () => {
    const started = await authorize(under, {}, { cookie: '' })
    const handle = started.location.searchParams.get('interaction') ?? ''

    await refusedInJson(under, invalidGrant, { send: () => redeem(under, handle), reason: 'code_unknown' })
  })

  it('a code of another issuer, in the same database (RFC 9700 §4.4)', async () => {
    const medium = createMemoryDatabase()
    const [here, there] = await Promise.all(
      ['https://as.test', 'https://other.test'].map((issuer) =>
        startServer({ issuer, storage: createMemoryStorage({ issuer, database: medium }) }),
      ),
    )
    if (here === undefined || there === undefined) throw new Error('Two servers were started.')
    const code = await obtainCode(there)

    await refusedInJson(here, invalidGrant, { send: () => redeem(here, code), reason: 'code_unknown' })

    expect((await redeem(there, code)).status).toBe(200)
    await Promise.all([here.close(), there.close()])
  })
})

describe('a code counts for its client alone (RFC 6749 §4.1.3)', () => {
  it('a public client with its own name: the code is unknown to it, and unharmed', async () => {
    const code = await obtainCode(under)

    await refusedInJson(under, invalidGrant, {
      send: () => redeem(under, code, { client_id: 'P' }, { authorization: '' }),
      reason: 'code_unknown',
      secrets: [code],
    })

    expect((await redeem(under, code)).status).toBe(200)
  })

  it('a confidential client with its own secret: the code is unknown to it, and unharmed', async () => {
    const code = await obtainCode(under)
    const asX = { client_id: 'X', client_secret: under.clients.X.secret }
    await redeem(under, 'x', asX, { authorization: '' })

    await refusedInJson(under, invalidGrant, {
      send: () => redeem(under, code, asX, { authorization: '' }),
      reason: 'code_unknown',
    })

    expect((await redeem(under, code)).status).toBe(200)
  })

  it.each([
    ['its name without its secret', { client_id: 'A' }, '', 'client_authentication_method'],
    ['no client at all', {}, '', 'client_authentication_missing'],
    [
      'another method than the registered one',
      { client_id: 'A', client_secret: 'x' },
      '',
      'client_authentication_method',
    ],
    ['an empty secret', { client_id: 'A', client_secret: '' }, '', 'client_authentication_method'],
    ['a wrong secret', {}, basic('A', 'wrong'), 'client_credentials_wrong'],
    ['the bearer of something', {}, 'Bearer x', 'client_unknown'],
  ] as const)(
    '%s: the client is not proven, and the code unharmed',
    async (_, change: Change, authorization, reason) => {
      const code = await obtainCode(under)

      await refusedInJson(under, invalidClient, {
        send: () => redeem(under, code, change, { authorization }),
        reason,
        secrets: [code],
      })

      expect((await redeem(under, code)).status).toBe(200)
    },
  )

  it.each([
    ['a client_id that contradicts the secret', { client_id: 'P' }, 'client_id_contradicted'],
    ['two methods at once (RFC 6749 §2.3)', { client_id: 'A', client_secret: 'x' }, 'client_authentication_twice'],
  ] as const)('%s', async (_, change, reason) => {
    const code = await obtainCode(under)

    await refusedInJson(
      under,
      { status: 400, error: 'invalid_request' },
      { send: () => redeem(under, code, change), reason },
    )

    expect((await redeem(under, code)).status).toBe(200)
  })

  it('a client that was disabled after the code was issued', async () => {
    const server = await startServer()
    const code = await obtainCode(server)
    await changeClient(server.storage, clientId('A'), { disabledAt: server.clock.now() })

    await refusedInJson(server, invalidClient, { send: () => redeem(server, code), reason: 'client_disabled' })
    await server.close()
  })

  it('a client that may no longer use the grant (RFC 6749 §5.2)', async () => {
    const server = await startServer()
    await expectServing(server)
    const code = await obtainCode(server)
    await changeClient(server.storage, clientId('A'), { grantTypes: ['refresh_token'] })

    await refusedInJson(
      server,
      { status: 400, error: 'unauthorized_client' },
      { send: () => redeem(server, code), reason: 'grant_type_not_registered' },
    )
    await server.close()
  })
})

describe('a code lives for 60 seconds (RFC 6749 §4.1.2)', () => {
  it.each([
    [60, 'code_unknown'],
    [61, 'code_unknown'],
    [3000, 'code_unknown'],
  ] as const)('after %i seconds it is unknown', async (age, reason) => {
    const code = await obtainCode(under)
    under.clock.advance(age)

    await refusedInJson(under, invalidGrant, { send: () => redeem(under, code), reason })
  })

  it('after 59 seconds it counts', async () => {
    await expectServing(under)
    const code = await obtainCode(under)
    under.clock.advance(59)

    expect((await redeem(under, code)).status).toBe(200)
  })
})

describe('the kill switch: what was issued to somebody opens nothing once they are gone', () => {
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
  ])('%s since the authorization', async (_, end) => {
    const server = await startServer()
    await expectServing(server)
    const code = await obtainCode(server)
    await end(server)

    await refusedInJson(server, invalidGrant, {
      send: () => redeem(server, code),
      reason: 'grant_not_live',
      kept: 'all but codes',
    })
    await server.close()
  })
})

it('a confidential client that names itself beside its secret redeems (RFC 6749 §2.3.1)', async () => {
  const code = await obtainCode(under, { code_challenge: challenge })

  expect((await redeem(under, code, { client_id: 'A' })).status).toBe(200)
})

it('no event holds a code, a verifier, a secret or a token (RFC 9700 §4.2)', async () => {
  const code = await obtainCode(under)
  await redeem(under, code, { client_id: 'A', client_secret: 'guess-1234' }, { authorization: '' })
  await redeem(under, 'forged-5678')
  const tokens = await redeem(under, code)

  const events = JSON.stringify(under.events)
  for (const secret of [
    code,
    'guess-1234',
    'forged-5678',
    verifier,
    under.clients.A.secret,
    String(tokens.json['access_token']),
  ]) {
    expect(events).not.toContain(secret)
  }
})

it('after all of this a normal request succeeds', () => expectServing(under))
