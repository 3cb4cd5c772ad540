import { type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  basic,
  encode,
  obtainCode,
  obtainTokens,
  postForm,
  redeem,
  token,
  verifier,
  type Change,
} from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { requestUrl, userinfo } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  // The first use of a secret is recorded in storage; later ones within an hour are not.
  await obtainTokens(site)
  await token(site, machine, { authorization: basic('M', site.clients.M.secret) })
})
afterAll(() => site.close())

const invalidGrant = { status: 400, error: 'invalid_grant' }
const invalidClient = { status: 401, error: 'invalid_client' }
const invalidRequest = { status: 400, error: 'invalid_request' }
const machine = { grant_type: 'client_credentials' }
const refresh = (refreshToken: string | undefined, change: Change = {}) =>
  token(site, { grant_type: 'refresh_token', refresh_token: refreshToken, ...change })

describe('codes: common server errors', () => {
  it('rejects a redemption whose redirect_uri is missing or different (RFC 6749 §4.1.3)', async () => {
    const code = await obtainCode(site)

    await expectJsonRefusal(site, invalidRequest, {
      reason: 'redirect_uri_missing',
      send: () => redeem(site, code, { redirect_uri: undefined }),
    })
    await expectJsonRefusal(site, invalidGrant, {
      reason: 'redirect_uri_mismatch',
      storage: 'may change',
      send: () => redeem(site, code, { redirect_uri: 'https://app.test/cb/' }),
    })
  })

  it('of two concurrent redemptions at most one succeeds, and the code’s tokens are revoked (RFC 6749 §10.5)', async () => {
    const code = await obtainCode(site, { scope: 'openid' })

    const replies = await Promise.all([redeem(site, code), redeem(site, code)])

    const won = replies.filter(({ status }) => status === 200)
    expect(won.length).toBeLessThanOrEqual(1)
    for (const { json } of won)
      expect((await userinfo(site, { tokens: json as Record<string, string> })).status).toBe(401)
  })

  it('another client’s code is reported as unknown and stays usable (RFC 6749 §4.1.3)', async () => {
    const code = await obtainCode(site)
    const asX = { client_id: 'X', client_secret: site.clients.X.secret }

    const foreign = await redeem(site, code, asX, { authorization: '' })
    const unknown = await redeem(site, 'x'.repeat(43), asX, { authorization: '' })

    expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
    expect((await redeem(site, code)).status).toBe(200)
  })

  it.each(['short', 'x'.repeat(129), `${verifier.slice(0, -1)}!`, verifier.toLowerCase()])(
    'rejects the verifier %j with invalid_grant (RFC 7636 §4.6)',
    async (wrong) => {
      const code = await obtainCode(site)

      await expectJsonRefusal(site, invalidGrant, {
        reason: 'code_verifier_mismatch',
        storage: 'may change',
        send: () => redeem(site, code, { code_verifier: wrong }),
      })
    },
  )

  it('rejects a verifier for a code without a challenge (RFC 9700 §4.8.2)', async () => {
    const redirectUri = 'https://x.test/cb'
    const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
    const { location } = await visit(
      site,
      requestUrl(site, { client_id: 'X', redirect_uri: redirectUri, ...withoutPkce }),
    )
    const asX = { client_id: 'X', client_secret: site.clients.X.secret, redirect_uri: redirectUri }

    await expectJsonRefusal(site, invalidGrant, {
      reason: 'code_verifier_unexpected',
      storage: 'may change',
      send: () => redeem(site, location.searchParams.get('code') ?? '', asX, { authorization: '' }),
    })
  })

  it('losing the challenge in storage does not switch PKCE off (RFC 9700 §4.8.2)', async () => {
    const forgetful = await startServer({
      storage: forgettingChallenges(createMemoryStorage({ issuer: 'https://as.test' })),
    })
    const code = await obtainCode(forgetful)

    const reply = await redeem(forgetful, code)

    expect([reply.status, forgetful.lastReason()]).toEqual([400, 'code_challenge_lost'])
    await forgetful.close()
  })
})

describe('client authentication: common server errors', () => {
  it('Basic credentials are form-decoded, and malformed credentials are refused (RFC 6749 §2.3.1)', async () => {
    const escaped = `Basic ${btoa(`%4D:${site.clients.M.secret}`)}`

    const reply = await token(site, machine, { authorization: escaped })

    expect(reply.status).toBe(200)
    for (const pair of ['M', '%zz:x', 'M:%', `M:${site.clients.M.secret}%`]) {
      await expectJsonRefusal(site, invalidClient, {
        reason: 'client_unknown',
        send: () => token(site, machine, { authorization: `Basic ${btoa(pair)}` }),
      })
    }
  })

  it('accepts one method per request, the registered one (RFC 6749 §2.3)', async () => {
    const { secret } = site.clients.M
    const asPost = { ...machine, client_id: 'M', client_secret: secret }

    await expectJsonRefusal(site, invalidRequest, {
      reason: 'client_authentication_twice',
      send: () => token(site, asPost, { authorization: basic('M', secret) }),
    })
    await expectJsonRefusal(site, invalidClient, {
      reason: 'client_authentication_method',
      send: () => token(site, asPost, { authorization: '' }),
    })
  })

  it('an unknown client and a wrong secret get the same 401 with a challenge (RFC 6749 §5.2)', async () => {
    const replies = [
      await token(site, machine, { authorization: basic('nobody', 'x') }),
      await token(site, machine, { authorization: basic('M', 'x') }),
    ]

    const seen = replies.map((reply) => [reply.status, reply.text, reply.header('www-authenticate')])
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.[2]).toMatch(/^Basic realm=/)
  })

  it('an assertion is for its client and this issuer only, short-lived and single-use (RFC 7523 §3)', async () => {
    const good = { iss: 'B', sub: 'B', aud: site.issuer, jti: 'j1', exp: site.clock.now() + 60 }

    const first = await asB(good)
    const again = await asB(good)
    const wrong = [
      { ...good, jti: 'j2', iss: 'A' },
      { ...good, jti: 'j3', aud: `${site.issuer}/token` },
      { ...good, jti: 'j4', aud: [site.issuer, 'https://other.test'] },
      { ...good, jti: 'j5', exp: site.clock.now() + 86_400 },
      { ...good, jti: 'j6', exp: site.clock.now() - 60 },
      { ...good, jti: undefined },
    ]
    const refused = await Promise.all(wrong.map((claims) => asB(claims)))

    // The client may not use this grant type. Only an authenticated client gets that error.
    expect(first.json['error']).toBe('unauthorized_client')
    expect([again, ...refused].map(({ json }) => json['error'])).toEqual(
      Array.from({ length: 7 }, () => 'invalid_client'),
    )
  })
})

describe('token requests: common server errors', () => {
  it('parameters appear once, by POST, in the body (RFC 6749 §3.2)', async () => {
    const headers = { authorization: basic('M', site.clients.M.secret) }

    await expectJsonRefusal(site, invalidRequest, {
      reason: 'grant_type_missing',
      send: () => postForm(site, `/token?${encode(machine)}`, '', headers),
    })
    await expectJsonRefusal(site, invalidRequest, {
      reason: 'parameter_repeated',
      send: () => postForm(site, '/token', `${encode(machine)}&${encode(machine)}`, headers),
    })
    expect((await site.send({ path: `/token?${encode(machine)}`, headers })).status).toBe(405)
  })

  it('responses and errors must not be cached (RFC 6749 §5.1)', async () => {
    const tokens = await obtainTokens(site)
    const authorization = basic('A', site.clients.A.secret)
    const about = encode({ token: tokens['refresh_token'] })

    const replies = [
      await refresh(tokens['refresh_token']),
      await token(site, { grant_type: 'nothing' }),
      await userinfo(site, { tokens }),
      await site.send({ path: '/userinfo' }),
      await postForm(site, '/token/introspection', about, { authorization }),
      await postForm(site, '/token/revocation', about, { authorization }),
    ]

    expect(replies.map((reply) => [reply.header('cache-control'), reply.header('pragma')])).toEqual(
      replies.map(() => ['no-store', 'no-cache']),
    )
  })

  it('error_description is plain ASCII without any text of the request (RFC 6749 §5.2)', async () => {
    const hostile = '<b>"\\ü'

    const reply = await token(site, { grant_type: hostile, code: hostile, scope: hostile })

    expect(reply.json).toMatchObject({
      error: 'unsupported_grant_type',
      error_description: expect.stringMatching(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/) as string,
    })
    expect(reply.text).not.toContain('<b>')
  })
})

describe('refresh tokens: common server errors', () => {
  it('narrowing one access token does not narrow the refresh token; widening is rejected (RFC 6749 §6)', async () => {
    const tokens = await obtainTokens(site)

    const narrowed = await refresh(tokens['refresh_token'], { scope: 'openid' })
    const next = String(narrowed.json['refresh_token'])

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_scope' },
      {
        reason: 'scope_not_granted',
        send: () => refresh(next, { scope: 'email' }),
      },
    )
    expect((await refresh(next)).json['scope']).toBe('openid profile offline_access')
  })

  it('a public client’s refresh token rotates, and reuse of an old one revokes the family (RFC 9700 §4.14.2)', async () => {
    const redirectUri = 'https://spa.test/cb'
    const asP = (form: Change) => token(site, { client_id: 'P', ...form }, { authorization: '' })
    const { location } = await visit(
      site,
      requestUrl(site, { client_id: 'P', redirect_uri: redirectUri, scope: 'openid offline_access' }),
    )
    const code = location.searchParams.get('code') ?? undefined
    const first = await asP({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const old = String(first.json['refresh_token'])

    const second = await asP({ grant_type: 'refresh_token', refresh_token: old })
    site.clock.advance(31)
    const reuse = await asP({ grant_type: 'refresh_token', refresh_token: old })
    const current = await asP({ grant_type: 'refresh_token', refresh_token: String(second.json['refresh_token']) })

    expect(second.json['refresh_token']).not.toBe(old)
    expect([reuse, current].map(({ json }) => json['error'])).toEqual(['invalid_grant', 'invalid_grant'])
  })
})

/** Sends a token request of client B with these claims in its assertion. */
async function asB(claims: Readonly<Record<string, unknown>>) {
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'b1' })
    .sign(site.clients.B.privateKey)
  const proof = {
    client_assertion: assertion,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }
  return token(site, { ...machine, ...proof }, { authorization: '' })
}

const forgettingChallenges = (storage: AdminStorage): AdminStorage => ({
  ...storage,
  codes: {
    ...storage.codes,
    async consume(digest, client, now) {
      const consumed = await storage.codes.consume(digest, client, now)
      return consumed.outcome === 'absent'
        ? consumed
        : { ...consumed, record: { ...consumed.record, codeChallenge: undefined } }
    },
  },
})
