import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { answerInteraction, authorize, browserCookie, obtainTokens, redeem, signedInAs } from '../support/flow.ts'
import { expectServing, expectErrorRedirect } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const codeOf = (reply: Reply): string | null => reply.location.searchParams.get('code')
const countCodes = (): number => (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length

describe('the signed-in user is never taken from the request (OIDC Core §3.1.2.3)', () => {
  it('max_age=0 requires a new sign-in, and auth_time is the time of that sign-in', async () => {
    const started = await authorize(site, { max_age: '0' })
    expect(started.location.pathname).toBe('/login')
    site.clock.advance(7)

    const stale = await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now() - 100}`)
    const done = await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}`)

    expect(stale.location.pathname).toBe('/login')
    const tokens = await redeem(site, codeOf(done) ?? '')
    expect(claimsOf(tokens)['auth_time']).toBe(site.clock.now())
  })

  it.each([
    ['of another issuer', (hint: string) => withChangedClaims(hint, { iss: 'https://other.test' })],
    ['with a changed subject', (hint: string) => withChangedClaims(hint, { sub: 'U2' })],
    [
      'with the algorithm none',
      (hint: string) => `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${hint.split('.')[1]}.`,
    ],
    ['without a signature', (hint: string) => hint.split('.').slice(0, 2).join('.')],
    ['that is not a JWT', () => 'hint'],
    ['of 8,192 bytes', () => 'a'.repeat(8192)],
  ])('rejects an ID token hint %s', async (_, forge) => {
    const hint = forge((await obtainTokens(site))['id_token'] ?? '')

    for (const cookie of ['', signedInAs(site, 'U1')]) {
      await expectErrorRedirect(
        site,
        { error: 'invalid_request' },
        {
          send: () => authorize(site, { id_token_hint: hint, prompt: 'none' }, { cookie }),
          reason: 'id_token_hint_invalid',
        },
      )
    }
  })

  it('rejects an access token as a hint, and a hint of 8,193 bytes', async () => {
    const accessToken = (await obtainTokens(site))['access_token']

    for (const [hint, reason] of [
      [accessToken, 'id_token_hint_invalid'],
      ['a'.repeat(8193), 'parameter_too_long'],
    ] as const) {
      await expectErrorRedirect(
        site,
        { error: 'invalid_request' },
        { send: () => authorize(site, { id_token_hint: hint }), reason },
      )
    }
  })

  it('an expired hint is valid, but signs no user in', async () => {
    const hint = (await obtainTokens(site))['id_token']
    site.clock.advance(1000)

    await expectErrorRedirect(
      site,
      { error: 'login_required' },
      {
        send: () => authorize(site, { id_token_hint: hint, prompt: 'none' }, { cookie: '' }),
        reason: 'login_required',
      },
    )
    const asked = await authorize(site, { id_token_hint: hint }, { cookie: '' })
    expect(asked.location.pathname).toBe('/login')
    await expectServing(site)
  })

  it('asks for a sign-in when the hint names another user (OIDC Core §3.1.2.2)', async () => {
    await site.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: site.clock.now() })
    const hint = (await obtainTokens(site))['id_token']

    const reply = await authorize(site, { id_token_hint: hint }, { cookie: signedInAs(site, 'U4') })

    expect(reply.location.pathname).toBe('/login')
  })

  it('an inactive user gets no code, neither with an old session nor by a new sign-in', async () => {
    const before = countCodes()

    const started = await authorize(site, {}, { cookie: signedInAs(site, 'U2') })
    const again = await answerInteraction(site, started, `subject=U2&auth_time=${site.clock.now()}&scope=openid`)

    expect(started.location.pathname).toBe('/login')
    expect([again.status, again.header('location')]).toEqual([403, undefined])
    expect(countCodes()).toBe(before)
  })

  it.each(['<script>alert(1)</script>', '"><img src=x>', 'a@b.test\r\nSet-Cookie: x=y'])(
    'login_hint %j reaches the host’s page, but no URL and no error page',
    async (loginHint) => {
      const started = await authorize(site, { login_hint: loginHint }, { cookie: '' })
      const { pathname, search } = started.location
      const page = await site.send({ path: pathname + search, headers: { cookie: browserCookie(started) } })
      const error = await authorize(site, { login_hint: loginHint, client_id: 'zzz' })

      expect(page.json['loginHint']).toBe(loginHint)
      expect(started.location.href).toMatch(/^https:\/\/as\.test\/login\?interaction=[\w.-]+$/)
      expect(started.location.href).not.toMatch(/script|img src|Set-Cookie/)
      expect(error.text).not.toMatch(/alert|<img|Set-Cookie/)
    },
  )
})

const claimsOf = (tokens: Reply): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(tokens.json['id_token']).split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >

/** Returns the hint with some claims changed but with its original signature. */
function withChangedClaims(hint: string, change: Readonly<Record<string, string>>): string {
  const [header = '', payload = '', signature = ''] = hint.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  return [header, Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url'), signature].join('.')
}
