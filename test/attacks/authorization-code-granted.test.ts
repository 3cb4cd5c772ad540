import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainCode, redeem } from '../support/flow.ts'
import { expectServing, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

describe('the token request cannot widen the grant (RFC 6749 §3.3, RFC 8707 §2.2)', () => {
  it.each(['openid api.write', 'openid profile offline_access admin', '"', ''])('ignores scope=%s', async (scope) => {
    const code = await obtainCode(site)

    const reply = await redeem(site, code, { scope })

    expect(reply.status).toBe(200)
    expect(reply.json['scope']).toBe('openid profile')
    expect(reply.json['refresh_token']).toBeUndefined()
  })

  it.each(['https://api.test', 'https://evil.test', 'relative', 'https://as.test'])(
    'rejects resource=%s, which was not granted, and leaves the code redeemable',
    async (resource) => {
      const code = await obtainCode(site)

      await expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_target' },
        { send: () => redeem(site, code, { resource }), reason: 'resource_not_granted' },
      )

      expect((await redeem(site, code)).status).toBe(200)
    },
  )

  it('a wrong resource reveals nothing about the code to another client (RFC 8707 §2.2)', async () => {
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => redeem(site, code, { client_id: 'P', resource: 'https://api.test' }, { authorization: '' }),
        reason: 'code_unknown',
      },
    )
  })

  it.each([
    'Authorization_Code',
    'AUTHORIZATION_CODE',
    'authorization_code ',
    ' authorization_code',
    'authorization_code\0',
    'authorization_code\n',
    'authorization-code',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    '__proto__',
    'constructor',
  ])('rejects grant_type=%j as unsupported', async (grantType) => {
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unsupported_grant_type' },
      { send: () => redeem(site, code, { grant_type: grantType }), reason: 'grant_type_unknown' },
    )
  })
})

it('the ID token has only the client as audience, contains the nonce and the hash of the access token, and expires after ten minutes', async () => {
  const nonce = 'n-0S6_WzA2Mj "\\<>'
  const tokens = await redeem(site, await obtainCode(site, { nonce }))
  const { access_token: accessToken, id_token: idToken } = tokens.json as Record<string, string>
  const claims = JSON.parse(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken)))

  expect(claims).toMatchObject({ iss: 'https://as.test', aud: 'A', nonce, sub: 'U1' })
  expect(claims['at_hash']).toBe(Buffer.from(hash.subarray(0, 16)).toString('base64url'))
  expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600)
  expect(claims['iat']).toBe(site.clock.now())
  expect(tokens.header('cache-control')).toBe('no-store')
  expect(tokens.header('pragma')).toBe('no-cache')
})
