import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, obtainCode, obtainTokens, postForm, redeem, token } from '../support/flow.ts'
import { expectServing } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeEach(async () => {
  site = await startServer()
  await expectServing(site)
})
afterEach(() => site.close())

const scope = 'openid offline_access api.read email'
const narrow = () => changeClient(site.storage, clientId('A'), { scopes: ['openid', 'offline_access'] })

describe('after a scope was removed from the client (RFC 6749 §3.3)', () => {
  it('a refresh returns only the remaining scope values', async () => {
    const tokens = await obtainTokens(site, { scope })
    await narrow()

    const refreshed = await token(site, { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] })

    expect([refreshed.status, refreshed.json['scope']]).toEqual([200, 'openid offline_access'])
  })

  it('a refresh that requests the removed scope is refused', async () => {
    const tokens = await obtainTokens(site, { scope })
    await narrow()

    const refreshed = await token(site, {
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token'],
      scope: 'api.read',
    })

    expect([refreshed.status, refreshed.json['error']]).toEqual([400, 'invalid_scope'])
  })

  it('an earlier code returns only the remaining scope values', async () => {
    const code = await obtainCode(site, { scope })
    await narrow()

    const redeemed = await redeem(site, code)

    expect([redeemed.status, redeemed.json['scope']]).toEqual([200, 'openid offline_access'])
  })
})

it.each([
  ['the scope offline_access', { scopes: ['openid', 'api.read'] }, 'refresh_token_unknown'],
  ['the grant refresh_token', { grantTypes: ['authorization_code'] }, 'grant_type_not_registered'],
] as const)(
  'a client that lost %s can no longer refresh, and its refresh tokens are inactive (OIDC Core §11)',
  async (_, change, reason) => {
    const tokens = await obtainTokens(site, { scope })
    await changeClient(site.storage, clientId('A'), change)
    const before = site.dump()

    const introspected = await postForm(site, '/token/introspection', encode({ token: tokens['refresh_token'] }), {
      authorization: basic('A', site.clients.A.secret),
    })
    const refreshed = await token(site, { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] })

    expect(introspected.json).toEqual({ active: false })
    expect([refreshed.status, site.lastReason()]).toEqual([400, reason])
    expect(site.dump()).toBe(before)
  },
)

it('introspection reports only the scopes that a refresh token can still obtain (RFC 7662 §2.2)', async () => {
  const tokens = await obtainTokens(site, { scope })
  await narrow()

  const introspected = await postForm(site, '/token/introspection', encode({ token: tokens['refresh_token'] }), {
    authorization: basic('A', site.clients.A.secret),
  })

  expect(introspected.json).toMatchObject({ active: true, scope: 'openid offline_access' })
})

it('a claim requested by name is released only while the scope that covers it is granted (OIDC Core §5.5)', async () => {
  const claims = JSON.stringify({ userinfo: { email: null, nickname: null }, id_token: { email: null } })
  const code = await obtainCode(site, { scope: 'openid profile email offline_access', claims })
  const tokens = (await redeem(site, code)).json
  await changeClient(site.storage, clientId('A'), { scopes: ['openid', 'profile', 'offline_access'] })

  const refreshed = await token(site, { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) })
  const userinfo = await site.send({
    path: '/userinfo',
    headers: { authorization: `Bearer ${String(refreshed.json['access_token'])}` },
  })

  expect(userinfo.json).toMatchObject({ sub: 'U1', nickname: 'annie' })
  expect(userinfo.json).not.toHaveProperty('email')
  expect(decodeJwt(String(refreshed.json['id_token']))).not.toHaveProperty('email')
})
