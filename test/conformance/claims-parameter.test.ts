import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { ask, logIn, open, outcomeOf, pageOf, refusalOf, signIn, userinfo } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

const claims = (request: object): string => JSON.stringify(request)

describe('claims requested individually', () => {
  it.each([{ essential: true }, null, {}])(
    'the name is in the userinfo response when it is requested as %j, without the scope profile (OIDC Core §5.5)',
    async (name) => {
      const outcome = await signIn(site, { scope: 'openid', claims: claims({ userinfo: { name } }) })

      const reply = await userinfo(site, outcome)

      expect(reply.json).toEqual({ sub: 'U1', name: 'Ann Lee' })
      expect(outcome.claims).not.toHaveProperty('name')
    },
  )

  it('email and phone_number are in the ID token (OIDC Core §5.5)', async () => {
    const { claims: idToken } = await signIn(site, {
      scope: 'openid',
      claims: claims({ id_token: { email: { essential: true }, phone_number: null } }),
    })

    expect(idToken).toMatchObject({ email: 'ann@example.test', phone_number: '+44 20 7946 0000' })
    expect(idToken).not.toHaveProperty('email_verified')
  })

  it('are added to the claims of the granted scopes (OIDC Core §5.5)', async () => {
    const outcome = await signIn(site, { scope: 'openid email', claims: claims({ userinfo: { nickname: null } }) })

    const reply = await userinfo(site, outcome)

    expect(reply.json).toEqual({ sub: 'U1', nickname: 'annie', email: 'ann@example.test', email_verified: true })
  })

  it('a claim that the user does not have causes no error, essential or not (OIDC Core §5.5.1)', async () => {
    const outcome = await signIn(site, {
      scope: 'openid',
      claims: claims({ userinfo: { website: { essential: true }, birthdate: null } }),
    })

    const reply = await userinfo(site, outcome)

    expect(reply.json).toEqual({ sub: 'U1' })
  })

  it('ignores unknown members and claims (OIDC Core §5.5)', async () => {
    const outcome = await signIn(site, {
      claims: claims({
        other: { a: 1 },
        id_token: { 'https://x.test/claim': { essential: true, odd: [1] } },
        userinfo: { internal: null },
      }),
    })

    expect(outcome.claims.sub).toBe('U1')
  })

  it('auth_time requested as an essential claim is present (OIDC Core §5.5.1)', async () => {
    const { claims: idToken } = await signIn(site, {
      claims: claims({ id_token: { auth_time: { essential: true } } }),
    })

    expect(idToken['auth_time']).toBe(site.clock.now() - 5)
  })

  it.each(['[]', '"x"', '{', 'null', '{"id_token":[]}', '{"userinfo":{"name":true}}'])(
    'rejects %s as malformed (OIDC Core §5.5)',
    async (text) => {
      const reply = await open(site, { claims: text }, 'U1')

      expect(refusalOf(reply)).toMatchObject({ error: 'invalid_request' })
      expect(site.lastReason()).toBe('claims_malformed')
    },
  )
})

describe('the sub claim with a value', () => {
  const sub = (value: string) => claims({ id_token: { sub: { value } } })

  it('is satisfied by the signed-in user (OIDC Core §3.1.2.2)', async () => {
    const { claims: idToken } = await outcomeOf(site, await open(site, { prompt: 'none', claims: sub('U1') }, 'U1'))

    expect(idToken.sub).toBe('U1')
  })

  it('is not satisfied by another user, and prompt=none fails with login_required (OIDC Core §3.1.2.2)', async () => {
    const reply = await open(site, { prompt: 'none', claims: sub('U2') }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
  })

  it('is satisfied by the last of many values (OIDC Core §5.5.1)', async () => {
    const values = [...Array.from({ length: 30 }, (_, index) => `other ${index}`), 'U1']
    const demanded = claims({ id_token: { sub: { values } } })

    const { claims: idToken } = await outcomeOf(site, await open(site, { prompt: 'none', claims: demanded }, 'U1'))

    expect(idToken.sub).toBe('U1')
  })

  it('asks for a sign-in and accepts no other user (OIDC Core §3.1.2.2)', async () => {
    const started = await open(site, { claims: sub('somebody') }, 'U1')

    const reply = await logIn(site, started)

    expect(pageOf(site, started)).toBe('/login')
    expect(pageOf(site, reply)).toBe('/login')
  })

  it('applies together with id_token_hint: both must name the same user (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await signIn(site)

    const reply = await open(site, { claims: sub('U2'), id_token_hint: tokens['id_token'] }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
    expect(site.lastReason()).toBe('no_user_matches')
  })

  it.each([
    ['no values', { values: [] }],
    ['a value that is not a string', { value: 7 }],
    ['a value that is null', { value: null }],
  ])('%s identifies no user, and no sign-in is requested (OIDC Core §3.1.2.1)', async (_, demanded) => {
    const reply = await open(site, { claims: claims({ id_token: { sub: demanded } }) }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
    expect(site.lastReason()).toBe('no_user_matches')
  })

  it('the hint and one of several values identify one user (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await signIn(site)

    const demanded = claims({ id_token: { sub: { values: ['U2', 'U1'] } } })
    const { claims: idToken } = await outcomeOf(
      site,
      await open(site, { prompt: 'none', claims: demanded, id_token_hint: tokens['id_token'] }, 'U1'),
    )

    expect(idToken.sub).toBe('U1')
  })
})

describe('the acr claim', () => {
  const essential = { id_token: { acr: { essential: true, values: ['urn:gold', 'urn:platinum'] } } }

  it('an essential value that the sign-in satisfies is in the ID token (OIDC Core §5.5.1.1)', async () => {
    const started = await open(site, { claims: claims(essential) }, 'U1')

    const { claims: idToken } = await outcomeOf(site, await logIn(site, started, { acr: 'urn:gold' }))

    expect(pageOf(site, started)).toBe('/login')
    expect(idToken['acr']).toBe('urn:gold')
  })

  it('an essential value that the sign-in does not satisfy is an error (OIDC Core §5.5.1.1)', async () => {
    const started = await open(site, { claims: claims(essential) }, 'U1')

    const reply = await logIn(site, started, { acr: 'urn:bronze' })

    expect(refusalOf(reply)).toMatchObject({ error: 'unmet_authentication_requirements', state: 's1' })
    expect(site.lastReason()).toBe('acr_unmet')
  })

  it('an essential value with prompt=none fails with login_required if a sign-in might satisfy it (OIDC Core §5.5.1.1)', async () => {
    const reply = await open(site, { claims: claims(essential), prompt: 'none' }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
  })

  it.each([
    ['acr_values', { acr_values: 'urn:gold urn:platinum' }],
    ['a voluntary claim', { claims: claims({ id_token: { acr: { values: ['urn:gold', 'urn:platinum'] } } }) }],
  ])('%s is voluntary and causes no error (OIDC Core §5.5.1.1)', async (_title, change) => {
    const reply = await ask(site, change)

    expect((await outcomeOf(site, reply)).claims).not.toHaveProperty('acr')
  })

  it.each([
    ['acr_values', { acr_values: 'urn:gold urn:platinum' }],
    ['a voluntary claim', { claims: claims({ id_token: { acr: { values: ['urn:gold', 'urn:platinum'] } } }) }],
    ['an essential claim', { claims: claims(essential) }],
  ])('passes %s to the host’s page (OIDC Core §5.5.1.1)', async (_title, change) => {
    const started = await open(site, change)
    const cookie = started.cookies.map((value) => value.split(';', 1)[0]).join('; ')

    const page = await site.send({ path: started.location.pathname + started.location.search, headers: { cookie } })

    expect(page.json['acrValues']).toEqual(['urn:gold', 'urn:platinum'])
  })
})
