import { expect, it } from 'vitest'

import { encode, postForm } from '../../support/flow.ts'
import { introspect, refresh, revoke, serviceToken, tokensFor, tokensOf, userinfo } from '../../support/token-calls.ts'
import type { Suite } from './suite.ts'

export const tokenSuite: Suite = (reach) => {
  it('a refresh token is rotated, and reuse of an old one revokes them all (RFC 6749 §6, RFC 9700 §4.14.2)', async () => {
    const site = reach()
    const first = await tokensFor(site, 'A')
    const second = tokensOf(await refresh(site, first.refresh_token))
    const third = tokensOf(await refresh(site, second.refresh_token))

    const reused = await refresh(site, first.refresh_token)

    expect(new Set([first.refresh_token, second.refresh_token, third.refresh_token]).size).toBe(3)
    expect([reused.status, reused.json['error']]).toEqual([400, 'invalid_grant'])
    expect((await refresh(site, third.refresh_token)).status).toBe(400)
    expect((await userinfo(site, third.access_token)).status).toBe(401)
  })

  it('a client gets a token for itself (RFC 6749 §4.4)', async () => {
    const reply = await serviceToken(reach())

    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ token_type: 'Bearer', scope: 'api.read' })
  })

  it('a wrong secret is answered with a challenge (RFC 6749 §5.2)', async () => {
    const headers = { authorization: `Basic ${btoa('A:wrong')}` }

    const reply = await postForm(reach(), '/token', 'grant_type=client_credentials', headers)

    expect([reply.status, reply.json['error'], reply.header('www-authenticate')?.split(' ', 1)[0]]).toEqual([
      401,
      'invalid_client',
      'Basic',
    ])
  })

  it('a token is active until it is revoked (RFC 7662 §2.2, RFC 7009 §2)', async () => {
    const site = reach()
    const { access_token } = await tokensFor(site, 'A')

    const before = await introspect(site, access_token)
    const revoked = await revoke(site, access_token)
    const after = await introspect(site, access_token)

    expect(before.json).toMatchObject({ active: true, sub: 'U1', client_id: 'A' })
    expect([revoked.status, revoked.text]).toEqual([200, ''])
    expect(after.json).toEqual({ active: false })
  })

  it('revoking the refresh token revokes its access tokens (RFC 7009 §2.1)', async () => {
    const site = reach()
    const { access_token, refresh_token } = await tokensFor(site, 'A')

    await revoke(site, refresh_token)

    expect((await userinfo(site, access_token)).status).toBe(401)
  })

  it('a public client may not introspect (RFC 7662 §4)', async () => {
    expect((await introspect(reach(), 'x', 'P')).status).toBeGreaterThanOrEqual(400)
  })

  it('userinfo returns the claims of the user, for a GET and for a POST (OIDC Core §5.3)', async () => {
    const site = reach()
    const { access_token } = await tokensFor(site, 'A')

    const got = await userinfo(site, access_token)
    const posted = await postForm(site, '/userinfo', encode({ access_token }), {})

    expect(got.json).toMatchObject({ sub: 'U1', name: 'Ann Lee' })
    expect(posted.json).toEqual(got.json)
  })

  it('userinfo answers a request without a token with a challenge that has no error (RFC 6750 §3.1)', async () => {
    const reply = await reach().send({ path: '/userinfo' })

    expect([reply.status, reply.text]).toEqual([401, '{}'])
    expect(reply.header('www-authenticate')).toBe('Bearer realm="userinfo", DPoP algs="ES256 EdDSA Ed25519 PS256"')
  })
}
