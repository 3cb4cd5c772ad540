import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { ask, logIn, open, outcomeOf, pageOf, refusalOf, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

/** U1 has consented to the base request. */
const consented = () => signIn(site)

describe('prompt=none', () => {
  it('fails with login_required if no user is signed in (OIDC Core §3.1.2.6)', async () => {
    const reply = await open(site, { prompt: 'none' })

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required', state: 's1', iss: site.issuer })
    expect(site.lastReason()).toBe('login_required')
  })

  it('fails with consent_required if the user has not consented (OIDC Core §3.1.2.6)', async () => {
    const reply = await open(site, { prompt: 'none', scope: 'openid phone' }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'consent_required', state: 's1' })
    expect(site.lastReason()).toBe('consent_required')
  })

  it('succeeds without a page for a user who has signed in and consented, and auth_time is unchanged (OIDC Core §3.1.2.1)', async () => {
    const first = await consented()

    const second = await outcomeOf(site, await open(site, { prompt: 'none' }, 'U1'))

    expect(second.claims.sub).toBe(first.claims.sub)
    expect(second.claims['auth_time']).toBe(site.clock.now() - 5)
  })

  it.each(['none login', 'login none', 'none consent', 'none select_account', 'none none login', 'sometimes', 'NONE'])(
    'prompt=%s is invalid_request (OIDC Core §3.1.2.1)',
    async (prompt) => {
      const reply = await open(site, { prompt }, 'U1')

      expect(refusalOf(reply)).toMatchObject({ error: 'invalid_request', state: 's1' })
      expect(site.lastReason()).toBe('prompt_invalid')
    },
  )

  it('succeeds with a hint that names the signed-in user (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await consented()

    const reply = await open(site, { prompt: 'none', id_token_hint: tokens['id_token'] }, 'U1')

    expect((await outcomeOf(site, reply)).claims.sub).toBe('U1')
  })

  it('fails with login_required if the hint names another user (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await consented()

    const reply = await open(site, { prompt: 'none', id_token_hint: tokens['id_token'] })

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
  })
})

describe('prompt=login', () => {
  it('asks a signed-in user again, and auth_time is new (OIDC Core §3.1.2.1)', async () => {
    const first = await consented()
    site.clock.advance(2)
    const started = await open(site, { prompt: 'login' }, 'U1')
    site.clock.advance(2)

    const second = await outcomeOf(site, await logIn(site, started))

    expect(pageOf(site, started)).toBe('/login')
    expect(second.claims.sub).toBe('U1')
    expect(second.claims['auth_time']).toBe(site.clock.now())
    expect(Number(second.claims['auth_time'])).toBeGreaterThan(Number(first.claims['auth_time']))
  })

  it('is not satisfied by an earlier sign-in (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, { prompt: 'login' }, 'U1')

    const reply = await logIn(site, started, { auth_time: String(site.clock.now() - 30) })

    expect(pageOf(site, reply)).toBe('/login')
  })
})

describe('prompt=consent and prompt=select_account', () => {
  it('asks for consent even if it was given before (OIDC Core §3.1.2.1)', async () => {
    await consented()

    const reply = await open(site, { prompt: 'consent' }, 'U1')

    expect(pageOf(site, reply)).toBe('/consent')
  })

  it('login and consent together ask for one and then the other (OIDC Core §3.1.2.4)', async () => {
    await consented()
    const started = await open(site, { prompt: 'consent login' }, 'U1')

    const reply = await logIn(site, started)

    expect(pageOf(site, started)).toBe('/login')
    expect((await outcomeOf(site, reply)).claims['auth_time']).toBe(site.clock.now())
  })

  it('select_account asks for an account and accepts the same one (OIDC Core §3.1.2.1)', async () => {
    await consented()
    const started = await open(site, { prompt: 'select_account' }, 'U1')

    const reply = await logIn(site, started, { auth_time: String(site.clock.now() - 30) })

    expect(pageOf(site, started)).toBe('/login')
    expect((await outcomeOf(site, reply)).claims.sub).toBe('U1')
  })
})

describe('without prompt', () => {
  it('asks a user who is not signed in to sign in (OIDC Core §3.1.2.3)', async () => {
    const started = await open(site)

    const { claims } = await outcomeOf(site, await logIn(site, started))

    expect(pageOf(site, started)).toBe('/login')
    expect(claims.sub).toBe('U1')
  })

  it('remembered consent covers fewer scopes, in any order (OIDC Core §3.1.2.4)', async () => {
    await ask(site, { scope: 'openid profile email' })

    const reply = await open(site, { scope: 'email openid' }, 'U1')

    expect((await outcomeOf(site, reply)).tokens['scope']).toBe('email openid')
  })

  it('remembered consent covers no further scopes (OIDC Core §3.1.2.4)', async () => {
    await consented()

    const reply = await open(site, { scope: 'openid profile address' }, 'U1')

    expect(pageOf(site, reply)).toBe('/consent')
  })
})
