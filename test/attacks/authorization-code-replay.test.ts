import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainCode, redeem, token, verifier } from '../support/flow.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const invalidGrant = { status: 400, error: 'invalid_grant' }
const offline = { scope: 'openid profile offline_access' }

const userinfo = (tokens: Reply): Promise<Reply> =>
  site.send({ path: '/userinfo', headers: { authorization: `Bearer ${String(tokens.json['access_token'])}` } })

const refresh = (tokens: Reply): Promise<Reply> =>
  token(site, { grant_type: 'refresh_token', refresh_token: String(tokens.json['refresh_token']) })

/** Asserts that the server accepts neither the access token nor the refresh token. */
async function expectRevoked(tokens: Reply): Promise<void> {
  const info = await userinfo(tokens)
  expect([info.status, info.header('www-authenticate')]).toEqual([401, expect.stringContaining('invalid_token')])
  expect((await refresh(tokens)).json['error']).toBe('invalid_grant')
}

describe('a code that is presented twice (RFC 6749 §4.1.2)', () => {
  it.each([
    ['immediately', 0],
    ['after 30 seconds', 30],
    ['in the last second of the code', 59],
  ])('revokes everything issued for the code when it is replayed %s', async (_, age) => {
    const code = await obtainCode(site, offline)
    const tokens = await redeem(site, code)
    expect((await userinfo(tokens)).status).toBe(200)
    site.clock.advance(age)

    await expectJsonRefusal(site, invalidGrant, {
      send: () => redeem(site, code),
      reason: 'code_replayed',
      storage: 'may change',
      secrets: [code],
    })

    await expectRevoked(tokens)
  })

  it('revokes refreshed tokens too, but no tokens of another code of the same user and client', async () => {
    const other = await redeem(site, await obtainCode(site, offline))
    const code = await obtainCode(site, offline)
    const renewed = await refresh(await redeem(site, code))

    await redeem(site, code)

    await expectRevoked(renewed)
    expect((await userinfo(other)).status).toBe(200)
    expect((await refresh(other)).status).toBe(200)
  })

  it('a third presentation changes nothing further', async () => {
    const code = await obtainCode(site, offline)
    await redeem(site, code)
    await redeem(site, code)

    await expectJsonRefusal(site, invalidGrant, { send: () => redeem(site, code), reason: 'code_replayed' })
  })

  it.each([
    ['with a wrong verifier', { code_verifier: verifier.replace('d', 'e') }, {}, 'code_verifier_mismatch'],
    ['without a verifier', { code_verifier: undefined }, {}, 'code_verifier_missing'],
    ['with a wrong redirect URI', { redirect_uri: 'https://app.test/cb2' }, {}, 'redirect_uri_mismatch'],
    ['by another client', { client_id: 'P' }, { authorization: '' }, 'code_unknown'],
  ] as const)(
    'a replay %s revokes nothing: knowing the code is not enough to revoke tokens',
    async (_, change, headers, reason) => {
      const code = await obtainCode(site, offline)
      const tokens = await redeem(site, code)

      await expectJsonRefusal(site, invalidGrant, {
        send: () => redeem(site, code, change, headers),
        reason,
        secrets: [code],
      })

      expect((await userinfo(tokens)).status).toBe(200)
      expect((await refresh(tokens)).status).toBe(200)
    },
  )

  it('an expired code is unknown, and presenting it revokes nothing (RFC 6749 §4.1.2)', async () => {
    const code = await obtainCode(site, offline)
    const tokens = await redeem(site, code)
    site.clock.advance(60)

    await expectJsonRefusal(site, invalidGrant, { send: () => redeem(site, code), reason: 'code_unknown' })

    expect((await refresh(tokens)).status).toBe(200)
  })
})

describe('concurrent presentations of one code (RFC 6749 §10.5)', () => {
  it.each([
    ['with a refresh token', offline],
    ['without a refresh token', { scope: 'openid' }],
  ])('exactly one of 50 receives tokens, and those tokens are revoked: %s', async (_, change) => {
    const before = countFamilies(site)
    const code = await obtainCode(site, change)

    const replies = await Promise.all(Array.from({ length: 50 }, () => redeem(site, code)))

    const won = replies.filter(({ status }) => status === 200)
    const lost = replies.filter(({ status }) => status !== 200)
    expect(won).toHaveLength(1)
    expect(lost.map((reply) => [reply.status, reply.json['error']])).toEqual(lost.map(() => [400, 'invalid_grant']))
    for (const tokens of won) await expectRevoked(tokens)
    expect(countFamilies(site) - before).toBe(1)
  })

  it('at most one of 20 receives tokens when half have a wrong verifier, and it has the right verifier', async () => {
    const code = await obtainCode(site, offline)

    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => redeem(site, code, at % 2 === 0 ? { code_verifier: 'a'.repeat(43) } : {})),
    )

    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(replies.filter((reply, at) => at % 2 === 0 && reply.status !== 400)).toEqual([])
  })
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))

const countFamilies = (server: ServerUnderTest): number =>
  (JSON.parse(server.dump()) as { families: { byId: readonly unknown[] } }).families.byId.length
