import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { basic, encode, obtainCode, postForm, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { userinfo } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const introspect = async (token: string | undefined) =>
  (
    await postForm(site, '/token/introspection', encode({ token }), {
      authorization: basic('A', site.clients.A.secret),
    })
  ).json

describe('authorization code', () => {
  it.each([0, 30])(
    'rejects a second use %i seconds later and revokes everything issued from it (OIDC Core §3.1.3.2)',
    async (delay) => {
      const code = await obtainCode(site, { scope: 'openid profile offline_access' })
      const tokens = (await redeem(site, code)).json as Record<string, string>
      const alive = await userinfo(site, { tokens })
      site.clock.advance(delay)

      const again = await redeem(site, code)

      expect(alive.status).toBe(200)
      expect([again.status, again.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'code_replayed'])
      expect((await userinfo(site, { tokens })).status).toBe(401)
      expect(await introspect(tokens['access_token'])).toEqual({ active: false })
      expect(await introspect(tokens['refresh_token'])).toEqual({ active: false })
    },
  )

  it('is bound to its redirect_uri (OIDC Core §3.1.3.2)', async () => {
    const code = await obtainCode(site)

    const reply = await redeem(site, code, { redirect_uri: 'https://app.test/other' })

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'redirect_uri_mismatch',
    ])
  })

  it('is bound to its client (OIDC Core §3.1.3.2)', async () => {
    const code = await obtainCode(site)
    const form = { client_id: 'X', client_secret: site.clients.X.secret }

    const reply = await redeem(site, code, form, { authorization: '' })

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'code_unknown'])
  })

  it('expires after one minute (RFC 6749 §4.1.2)', async () => {
    const code = await obtainCode(site)
    site.clock.advance(60)

    const reply = await redeem(site, code)

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([400, 'invalid_grant', 'code_unknown'])
  })
})

describe('token response', () => {
  it('is JSON that must not be cached, with token_type Bearer (OIDC Core §3.1.3.3)', async () => {
    const reply = await redeem(site, await obtainCode(site))

    expect(reply.json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'openid profile' })
    expect(reply.header('content-type')).toBe('application/json')
    expect(reply.header('cache-control')).toBe('no-store')
    expect(reply.header('pragma')).toBe('no-cache')
  })
})
