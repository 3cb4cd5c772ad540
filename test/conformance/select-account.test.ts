import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { answerInteraction, browserCookie, signedInAs } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { logIn, open, outcomeOf, pageOf, refusalOf, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer({ interaction: { selectAccountUrl: '/select-account' } })
  // U1 has consented to the base request.
  await signIn(site)
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

const select = { prompt: 'select_account' }
const goOn = (started: Reply) => answerInteraction(site, started, 'account=signed_in')

/** Returns what the host's page receives when the browser that started the interaction opens it. */
const look = async (started: Reply, { pathname, search }: Pick<URL, 'pathname' | 'search'> = started.location) => {
  const headers = { cookie: `${browserCookie(started)}; ${signedInAs(site, 'U1', 20)}` }
  return (await site.send({ path: pathname + search, headers })).json as Readonly<Record<string, string | undefined>>
}

/** Submits a form in that browser, which has no session of the host unless `session` adds its cookie. */
const post = (started: Reply, { pathname, search }: URL, body: string, session = '') =>
  site.send({
    method: 'POST',
    path: pathname + search,
    headers: {
      cookie: `${browserCookie(started)}; ${session}`,
      origin: site.issuer,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body,
  })

describe('prompt=select_account with a page for the choice', () => {
  it('asks a signed-in user who has consented, and continues with the account they choose (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, select, 'U1')

    const { claims } = await outcomeOf(site, await goOn(started))

    expect(pageOf(site, started)).toBe('/select-account')
    expect(claims.sub).toBe('U1')
    expect(claims['auth_time']).toBe(site.clock.now() - 5)
  })

  it('does not continue until the user has chosen an account (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, select, 'U1')

    const replies = [await answerInteraction(site, started, 'scope=openid&scope=profile'), await goOn(started)]

    expect(pageOf(site, replies[0] as Reply)).toBe('/select-account')
    expect(replies[1]?.location.searchParams.has('code')).toBe(true)
  })

  it('asks for consent after the choice', async () => {
    const started = await open(site, { ...select, scope: 'openid email' }, 'U1')

    const chosen = await goOn(started)

    expect(pageOf(site, chosen)).toBe('/consent')
    expect(await look(started, chosen.location)).toMatchObject({ kind: 'consent', subject: 'U1' })
  })

  it('asks a user without a session to sign in, which counts as the choice (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, select)

    expect(pageOf(site, started)).toBe('/login')
    expect((await outcomeOf(site, await logIn(site, started))).claims.sub).toBe('U1')
  })

  it('asks for a new sign-in when prompt=login or max_age requires one (OIDC Core §3.1.2.1)', async () => {
    const both = await open(site, { prompt: 'login select_account' }, 'U1')
    const old = await open(site, { ...select, max_age: '1' }, 'U1')

    expect([pageOf(site, both), pageOf(site, old)]).toEqual(['/login', '/login'])
  })

  it('offers another account on the sign-in page, and continues with it instead of the first (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, { ...select, login_hint: 'ann@example.test' }, 'U1')
    const { switchAccountUrl = '', loginHint } = await look(started)
    const url = new URL(switchAccountUrl)
    await site.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: site.clock.now() })

    const other = await look(started, url)
    const signedIn = `subject=U4&auth_time=${site.clock.now()}`
    const chosen = await post(started, url, signedIn, signedInAs(site, 'U1', 20))
    const reply = await post(started, chosen.location, 'scope=openid&scope=profile', signedInAs(site, 'U4', 0))

    expect(loginHint).toBe('ann@example.test')
    expect(other).toMatchObject({ kind: 'login' })
    expect([other['subject'], other['accountName'], other['loginHint']]).toEqual([undefined, undefined, undefined])
    expect(pageOf(site, chosen)).toBe('/consent')
    expect((await outcomeOf(site, reply)).claims).toMatchObject({ sub: 'U4', auth_time: site.clock.now() })
  })

  it('keeps the login_hint of another account for the sign-in page (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, { ...select, login_hint: 'bob@example.test' }, 'U1')
    const { switchAccountUrl = '' } = await look(started)

    expect(await look(started, new URL(switchAccountUrl))).toMatchObject({ loginHint: 'bob@example.test' })
  })

  it('offers no other account with an id_token_hint of this user, and signs in the user of another hint (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await signIn(site)
    const hinted = { ...select, id_token_hint: tokens['id_token'] }
    const own = await open(site, hinted, 'U1')
    const foreign = await open(site, hinted, 'U2')

    expect(pageOf(site, own)).toBe('/select-account')
    expect(await look(own)).toMatchObject({ accountName: 'ann@example.test' })
    expect((await look(own))['switchAccountUrl']).toBeUndefined()
    expect(pageOf(site, foreign)).toBe('/login')
  })

  it('asks a user who has signed out in the meantime to sign in (OIDC Core §3.1.2.3)', async () => {
    const started = await open(site, select, 'U1')

    expect(pageOf(site, await post(started, started.location, 'account=signed_in'))).toBe('/login')
  })

  it('denies the request when the user does (RFC 6749 §4.1.2.1)', async () => {
    const started = await open(site, select, 'U1')

    const denied = await answerInteraction(site, started, 'deny=yes')

    expect(refusalOf(denied)).toMatchObject({ error: 'access_denied', state: 's1' })
  })
})

describe('the consent page', () => {
  it('offers a link to the sign-in page for another account', async () => {
    const started = await open(site, { scope: 'openid phone' }, 'U1')
    const { switchAccountUrl = '' } = await look(started)

    const other = await look(started, new URL(switchAccountUrl))

    expect(new URL(switchAccountUrl).pathname).toBe('/login')
    expect(other).toMatchObject({ kind: 'login' })
  })
})
