import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { token, type Change } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { open, outcomeOf, pageOf, signIn, userinfo, type Outcome } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

const refresh = (outcome: Outcome, change: Change = {}, headers: Record<string, string> = {}) =>
  token(site, { grant_type: 'refresh_token', refresh_token: outcome.tokens['refresh_token'], ...change }, headers)

describe('offline_access', () => {
  it('with prompt=consent it returns a refresh token (OIDC Core §11)', async () => {
    const { tokens } = await signIn(site, { scope: 'openid offline_access', prompt: 'consent' })

    expect(tokens['refresh_token']).toBeTypeOf('string')
    expect(tokens['scope']).toBe('openid offline_access')
  })

  it('asks the user for consent, and only once (OIDC Core §11)', async () => {
    const first = await open(site, { scope: 'openid offline_access address' }, 'U1')
    await signIn(site, { scope: 'openid offline_access address' })

    const second = await open(site, { scope: 'openid offline_access address' }, 'U1')

    expect(pageOf(site, first)).toBe('/consent')
    expect((await outcomeOf(site, second)).tokens).toHaveProperty('refresh_token')
  })

  it('no refresh token is issued without it (OIDC Core §11)', async () => {
    const { tokens } = await signIn(site, { scope: 'openid' })

    expect(tokens).not.toHaveProperty('refresh_token')
  })

  it('is ignored for a client that may not refresh (OIDC Core §11)', async () => {
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code'] })

    const { tokens } = await signIn(site, { scope: 'openid offline_access' })

    expect(tokens['scope']).toBe('openid')
    expect(tokens).not.toHaveProperty('refresh_token')
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code', 'refresh_token'] })
  })
})

describe('refresh', () => {
  it('the new ID token has the same iss, sub, aud, auth_time and sid, a new iat, and no nonce (OIDC Core §12.2)', async () => {
    const first = await signIn(site, { scope: 'openid profile offline_access' })
    site.clock.advance(100)

    const reply = await refresh(first)

    const { iss, sub, aud, auth_time, sid, amr, name, iat } = first.claims
    const renewed = decodeJwt(String(reply.json['id_token']))
    expect(renewed).toMatchObject({
      iss,
      sub,
      aud,
      auth_time,
      sid,
      amr,
      name,
      iat: Number(iat) + 100,
      exp: Number(iat) + 700,
    })
    expect(renewed).not.toHaveProperty('nonce')
    expect(renewed['at_hash']).not.toBe(first.claims['at_hash'])
  })

  it('the new access token describes the sign-in as the first one did (RFC 9068 §2.2.1)', async () => {
    const first = await signIn(site, { scope: 'openid offline_access' })
    const before = decodeJwt(String(first.tokens['access_token']))
    site.clock.advance(100)

    const reply = await refresh(first)

    const after = decodeJwt(String(reply.json['access_token']))
    expect(before['auth_time']).toBeTypeOf('number')
    expect({ auth_time: after['auth_time'], acr: after['acr'] }).toEqual({
      auth_time: before['auth_time'],
      acr: before['acr'],
    })
    expect(after['iat']).toBe(Number(before['iat']) + 100)
  })

  it('the new access token works and has the same scope (OIDC Core §12.2)', async () => {
    const first = await signIn(site, { scope: 'openid email offline_access' })

    const reply = await refresh(first)
    const info = await userinfo(site, { tokens: reply.json as Record<string, string> })

    expect(reply.json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'openid email offline_access' })
    expect(info.json).toEqual({ sub: 'U1', email: 'ann@example.test', email_verified: true })
  })

  it.each([undefined, 'openid email'])(
    'another client’s refresh token is invalid_grant for every requested scope (scope %s) (OIDC Core §12.1)',
    async (scope) => {
      const first = await signIn(site, { scope: 'openid offline_access' })
      const other = { client_id: 'X', client_secret: site.clients.X.secret, scope }

      const reply = await refresh(first, other, { authorization: '' })

      expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
        400,
        'invalid_grant',
        'refresh_token_unknown',
      ])
      expect((await refresh(first)).status).toBe(200)
    },
  )

  it('one access token can have fewer scopes, and the next one has all of them again (RFC 6749 §6)', async () => {
    const first = await signIn(site, { scope: 'openid profile offline_access' })

    const narrowed = await refresh(first, { scope: 'openid' })
    const next = await refresh(first, { refresh_token: String(narrowed.json['refresh_token']) })

    expect([narrowed.json['scope'], next.json['scope']]).toEqual(['openid', 'openid profile offline_access'])
    expect(decodeJwt(String(narrowed.json['id_token']))).not.toHaveProperty('name')
  })
})
