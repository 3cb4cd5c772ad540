import { updateClient } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, basic, encode, obtainTokens, postForm, redeem } from '../support/flow.ts'
import {
  obtainIdTokenHint,
  logout,
  returnUriOfA,
  sessionCookie,
  startLogoutServer,
  type LogoutServer,
} from '../support/logout-server.ts'
import { startLogoutWorld } from '../support/logout-world.ts'

let site: LogoutServer
beforeAll(async () => {
  site = await startLogoutServer()
  for (const id of ['A', 'X']) await changeClient(site.storage, clientId(id), { subjectType: 'pairwise' })
})
afterAll(() => site.close())

const sessionOf = (name: string, user = 'U1') => ({ cookie: sessionCookie(site, name, user) })
const subjectOfA = async () =>
  (await site.storage.subjects.assign({ ...ofA, subject: 'unused' })) as { subject: string }
const ofA = { sector: 'app.test', userId: userId('U1') }

/** An ID token of the client X, at another host. */
async function idTokenOfX(): Promise<string> {
  const change = { client_id: 'X', redirect_uri: 'https://x.test/cb', scope: 'openid' }
  const started = await authorize(site, change, sessionOf('one'))
  const consented = started.location.searchParams.has('code')
    ? started
    : await answerInteraction(site, started, 'scope=openid')
  const code = consented.location.searchParams.get('code') ?? ''
  const redeemed = await redeem(
    site,
    code,
    { redirect_uri: 'https://x.test/cb', client_id: 'X', client_secret: site.clients.X.secret },
    { authorization: '' },
  )
  return (redeemed.json as { readonly id_token: string }).id_token
}

describe('a client with pairwise subjects (OIDC Core §8.1)', () => {
  it('gets the same sub in the ID token, userinfo and introspection, and not the identifier of the user', async () => {
    const tokens = await obtainTokens(site, {}, sessionOf('one'))
    const { sub } = decodeJwt(tokens['id_token'] ?? '')
    const userinfo = await site.send({
      path: '/userinfo',
      headers: { authorization: `Bearer ${tokens['access_token']}` },
    })
    const introspect = async (token = ''): Promise<unknown> =>
      (
        await postForm(site, '/token/introspection', encode({ token }), {
          authorization: basic('A', site.clients.A.secret),
        })
      ).json

    expect(sub).toMatch(/^[\w-]{22}$/)
    expect(userinfo.json).toMatchObject({ sub })
    expect(await introspect(tokens['access_token'])).toMatchObject({ active: true, sub })
    expect(await introspect(tokens['refresh_token'])).toMatchObject({ active: true, sub })
    expect(JSON.stringify(await introspect(tokens['access_token']))).not.toMatch(/"U1"|user_ref|family|session/)
  })

  it('gets an opaque access token, because a JWT would contain the user and the session for the revocation feed', async () => {
    const { access_token: token } = await obtainTokens(site, {}, sessionOf('one'))

    expect(token).toMatch(/^[\w-]{43}$/)
  })

  it('keeps the sub after a refresh (OIDC Core §12.2)', async () => {
    const tokens = await obtainTokens(site, {}, sessionOf('one'))
    const form = encode({ grant_type: 'refresh_token', refresh_token: tokens['refresh_token'], scope: 'openid' })
    const refreshed = await postForm(site, '/token', form, { authorization: basic('A', site.clients.A.secret) })
    const { id_token: idToken } = refreshed.json as { readonly id_token: string }

    expect(decodeJwt(idToken).sub).toBe(decodeJwt(tokens['id_token'] ?? '').sub)
  })

  it('shares neither sub nor sid with a client of another sector', async () => {
    const own = decodeJwt(await obtainIdTokenHint(site, 'one'))
    const other = decodeJwt(await idTokenOfX())

    expect(other.sub).toMatch(/^[\w-]{22}$/)
    expect(other.sub).not.toBe(own.sub)
    expect(other['sid']).toMatch(/^[\w-]{22}$/)
    expect(other['sid']).not.toBe(own['sid'])
    expect([own['sid'], other['sid']]).not.toContain('one')
  })

  it('can send its ID token as a hint: the same user need not sign in again, another user must (OIDC Core §3.1.2.1)', async () => {
    const hint = await obtainIdTokenHint(site, 'one')
    const change = { id_token_hint: hint, prompt: 'none' }

    const same = await authorize(site, change, sessionOf('one'))
    const other = await authorize(site, change, sessionOf('two', 'U4'))

    expect(same.location.searchParams.get('code')).not.toBeNull()
    expect(other.location.searchParams.get('error')).toBe('login_required')
  })

  it('cannot use the ID token of another sector as a hint, whoever is signed in: two clients could link their users (OIDC Core §17.3)', async () => {
    const hint = await idTokenOfX()

    for (const session of [sessionOf('one'), sessionOf('two', 'U4')]) {
      const answer = await authorize(site, { id_token_hint: hint, prompt: 'none' }, session)

      expect(answer.location.searchParams.get('error')).toBe('invalid_request')
      expect(site.lastReason()).toBe('id_token_hint_invalid')
    }
  })

  it('names users in the claims parameter by its own sub only (OIDC Core §5.5.1)', async () => {
    await obtainIdTokenHint(site, 'one')
    const { subject } = await subjectOfA()
    const asking = (sub: string) =>
      authorize(
        site,
        { prompt: 'none', claims: JSON.stringify({ id_token: { sub: { value: sub } } }) },
        sessionOf('one'),
      )

    expect((await asking(subject)).location.searchParams.get('code')).not.toBeNull()
    expect((await asking('U1')).location.searchParams.get('error')).toBe('login_required')
    expect(site.lastReason()).toBe('no_user_matches')
  })

  it('signs its user out with its hint (RP-Initiated Logout §2)', async () => {
    const hint = await obtainIdTokenHint(site, 'leaving')
    const answer = await logout(site, 'leaving', { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect(answer.header('location')).toBe(returnUriOfA)
    expect(site.endedSessions).toContain('leaving')
  })

  it('does not sign out a user of another session without asking (RP-Initiated Logout §2)', async () => {
    const hint = await obtainIdTokenHint(site, 'one')
    const answer = await logout(site, 'another', { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect(answer.status).toBe(200)
    expect(site.endedSessions).not.toContain('another')
  })

  it('cannot become a client with public subjects, nor move to another sector (OIDC Core §2)', async () => {
    const before = site.dump()
    const change = (changed: Parameters<typeof updateClient>[1]) =>
      updateClient({ clientId: 'A' }, changed, { storage: site.storage })

    await expect(change({ subjectType: 'public' })).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    await expect(change({ redirectUris: ['https://moved.test/cb'] })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
    expect(site.dump()).toBe(before)
  })
})

describe('a logout token for a client with pairwise subjects', () => {
  it('has the sub and the sid of that client, even after the user was removed (Back-Channel Logout §2.4)', async () => {
    const world = await startLogoutWorld()
    const redirectUris = ['https://a.test/cb']
    await world.register('a', { subjectType: 'pairwise', redirectUris, backchannelLogoutSessionRequired: true })
    await world.join('s1', 'a')
    const { storage, clock } = world
    await storage.subjects.assign({ sector: 'a.test', userId: userId('U1'), subject: 'sub-at-a' })

    await storage.users.remove(userId('U1'), clock.now())
    await world.server.deliverOnce()

    const [received] = world.receiver.received
    expect(received?.claims['sub']).toBe('sub-at-a')
    expect(received?.claims['sid']).toMatch(/^[\w-]{22}$/)
  })
})
