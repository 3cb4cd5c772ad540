import { providerId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonText } from '@mintmark/storage-interface/stores'

import { obtainCode, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  serviceToken,
  tokensFor,
  tokensOf,
  userinfo,
} from '../support/token-calls.ts'

type Options = NonNullable<Parameters<typeof startServer>[0]>
type MapClaims = NonNullable<Options['claims']>

async function serverWith(options: Options): Promise<ServerUnderTest> {
  const site = await startServer(options)
  onTestFinished(() => site.close())
  return site
}

const scope = 'openid profile api.read offline_access'

describe('the claims function', () => {
  it('gives each destination its own claims (RFC 9068 §2.2, OIDC Core §5.4, RFC 7662 §2.2)', async () => {
    const site = await serverWith({
      claims: () => ({
        id_token: { name: 'for the ID token', plan: 'not released' },
        userinfo: { name: 'for userinfo', plan: 'not released' },
        access_token: { plan: 'pro' },
        introspection: { plan_now: 'basic' },
      }),
    })

    const tokens = await tokensFor(site, 'A', { scope, resource: undefined })

    expect(decodeJwt(tokens.access_token)).toMatchObject({ plan: 'pro', sub: 'U1' })
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty('name')
    expect(decodeJwt(tokens.id_token)).toMatchObject({ name: 'for the ID token' })
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty('plan')
    expect((await introspect(site, tokens.access_token)).json).toMatchObject({ plan: 'pro', plan_now: 'basic' })
    const about = await userinfo(site, tokens.access_token)
    expect(about.json).toMatchObject({ name: 'for userinfo' })
    expect(about.json).not.toHaveProperty('plan')
  })

  it('receives the user, the client, the scopes and the audience, once per token response (RFC 9068 §2.2)', async () => {
    const seen: Parameters<MapClaims>[0][] = []
    const site = await serverWith({ claims: (context) => (seen.push(context), {}) })

    const tokens = await tokensFor(site, 'A', { scope })
    await refresh(site, tokens.refresh_token, { scope: 'api.read' })
    await serviceToken(site)

    expect(seen).toMatchObject([
      {
        destinations: ['access_token', 'id_token'],
        subject: 'U1',
        user: { providerId: undefined, claims: { nickname: 'annie' } },
        clientId: 'A',
        scopes: scope.split(' '),
        audience: ['https://api.test', 'https://as.test'],
      },
      { destinations: ['access_token'], subject: 'U1', scopes: ['api.read'] },
      { destinations: ['access_token'], subject: 'M', user: undefined, clientId: 'M', scopes: ['api.read'] },
    ])
  })

  it('receives the directory that provisions the user, for every destination, so that it can decide which of its values to trust (OIDC Core §5.1)', async () => {
    const seen: (string | undefined)[] = []
    const site = await serverWith({ claims: ({ user }) => (seen.push(user?.providerId), {}) })
    const version = (await site.storage.users.find(userId('U1')))?.version ?? 0
    const resource = { userName: 'ann' }
    const state = {
      active: true,
      externalId: 'x1',
      resource: jsonText(resource),
      renderKey: undefined,
      comparable: resource,
      claims: {},
    }
    const change = { providerId: providerId('acme'), userId: userId('U1'), version, now: site.clock.now() }
    await site.storage.provisionedUsers.adopt({ ...change, state })

    const tokens = await tokensFor(site, 'A', { scope, resource: undefined })
    await userinfo(site, tokens.access_token)
    await introspect(site, tokens.access_token)

    expect(seen).toEqual(['acme', 'acme', 'acme'])
  })

  it.each(['sub', 'scope', 'family', 'client_ref', 'user_ref', 'cnf', 'claims_overflow'])(
    'must not set %s of an access token, and the code stays valid (RFC 9068 §2.2)',
    async (name) => {
      let claims: ReturnType<MapClaims> = { access_token: { [name]: 'forged' } }
      const site = await serverWith({ claims: () => claims })
      const code = await obtainCode(site, { scope })
      await authenticateEveryClient(site)
      const before = site.dump()

      const refused = await redeem(site, code)

      expect(refused).toMatchObject({ status: 500, json: { error: 'server_error' } })
      expect(site.lastReason()).toBe('claims_failed')
      expect(site.dump()).toBe(before)
      claims = {}
      expect((await redeem(site, code)).status).toBe(200)
    },
  )

  it.each([
    ['id_token', 'aud'],
    ['userinfo', 'sub'],
    ['introspection', 'active'],
    ['idToken', 'name'],
  ])('must not return %s with %s (OIDC Core §5.3.2, RFC 7662 §2.2)', async (destination, name) => {
    const site = await serverWith({
      claims: ({ destinations }) =>
        destinations.includes('userinfo') || destinations.includes('introspection')
          ? { [destination]: { [name]: false } }
          : {},
    })
    const { access_token } = await tokensFor(site, 'A', { scope })

    for (const call of [userinfo, introspect]) {
      expect(await call(site, access_token)).toMatchObject({ status: 500, json: { error: 'server_error' } })
      expect(site.lastReason()).toBe('claims_failed')
    }
  })

  it('leaves a refresh token unchanged when it fails (RFC 6749 §6)', async () => {
    let fails = false
    const site = await serverWith({
      claims: () => {
        if (fails) throw new Error('the directory is unreachable')
        return { access_token: { plan: 'pro' } }
      },
    })
    const tokens = await tokensFor(site, 'A', { scope })
    const before = site.dump()
    fails = true

    const refused = await refresh(site, tokens.refresh_token)

    expect(refused).toMatchObject({ status: 500, json: { error: 'server_error' } })
    expect(refused.text).not.toContain('directory')
    expect(site.lastReason()).toBe('claims_failed')
    expect(site.dump()).toBe(before)
    fails = false
    const again = tokensOf(await refresh(site, tokens.refresh_token))
    expect(decodeJwt(again.access_token)).toMatchObject({ plan: 'pro' })
  })

  it('does not hide a replayed code when it fails (RFC 6749 §4.1.2)', async () => {
    let fails = false
    const site = await serverWith({
      claims: () => {
        if (fails) throw new Error('the directory is unreachable')
        return {}
      },
    })
    const code = await obtainCode(site, { scope })
    const { access_token } = tokensOf(await redeem(site, code))
    fails = true

    expect(await redeem(site, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })

    expect(site.lastReason()).toBe('code_replayed')
    fails = false
    expect((await introspect(site, access_token)).json).toEqual({ active: false })
  })

  it('adds claims to opaque tokens, which introspection returns (RFC 7662 §2.2)', async () => {
    const site = await serverWith({
      resources: { 'https://api.test': { scopes: ['api.read', 'api.write'], accessTokenFormat: 'opaque' } },
      claims: () => ({ access_token: { plan: 'pro' } }),
    })

    const { access_token } = tokensOf(await serviceToken(site))

    expect((await introspect(site, access_token, 'M')).json).toMatchObject({ active: true, plan: 'pro' })
  })

  it('cannot make an access token too large (RFC 6749 §5.2)', async () => {
    const site = await serverWith({
      accessTokenClaimLimits: { bytes: 40, overflow: 'omit' },
      claims: () => ({ access_token: { plan: 'x'.repeat(29) } }),
    })
    expect(decodeJwt(tokensOf(await serviceToken(site)).access_token)).toHaveProperty('plan')
    const larger = await serverWith({
      accessTokenClaimLimits: { bytes: 39, overflow: 'omit' },
      claims: () => ({ access_token: { plan: 'x'.repeat(29) } }),
    })

    expect(await serviceToken(larger)).toMatchObject({ status: 400, json: { error: 'invalid_scope' } })
    expect(larger.lastReason()).toBe('claims_too_large')
  })
})

describe('scope values of the host', () => {
  const groups = ['admins', 'sales']
  const mapped = { id_token: { groups }, userinfo: { groups } }
  const releasing = (option: object): Options => ({
    scopes: { 'api.read': { description: 'Read the API', ...option }, 'api.write': 'Write to the API' },
    claims: () => mapped,
  })
  const releasedBy = async (site: ServerUnderTest) => {
    const tokens = await tokensFor(site, 'A', { scope, resource: undefined })
    const refreshed = tokensOf(await refresh(site, tokens.refresh_token))
    expect(decodeJwt(refreshed.id_token)['groups']).toEqual(decodeJwt(tokens.id_token)['groups'])
    return {
      idToken: decodeJwt(tokens.id_token)['groups'],
      userinfo: ((await userinfo(site, refreshed.access_token)).json as { groups?: unknown }).groups,
    }
  }
  const unreleased = (site: ServerUnderTest) =>
    site.events.flatMap((event) => (event.type === 'claims.unreleased' ? [event] : []))

  it.each([
    ['idTokenClaims', { idTokenClaims: ['groups'] }, { idToken: groups, userinfo: undefined }],
    ['claims', { claims: ['groups'] }, { idToken: undefined, userinfo: groups }],
    ['both', { claims: ['groups'], idTokenClaims: ['groups'] }, { idToken: groups, userinfo: groups }],
  ])('release claims in the ID token, at userinfo or in both: %s (OIDC Core §5.4)', async (_, option, expected) => {
    const site = await serverWith(releasing(option))

    expect(await releasedBy(site)).toEqual(expected)
  })

  it('that release nothing are reported once for each client and destination, not with every token (OIDC Core §5.4)', async () => {
    const site = await serverWith(releasing({}))

    expect(await releasedBy(site)).toEqual({ idToken: undefined, userinfo: undefined })
    await releasedBy(site)

    expect(unreleased(site)).toMatchObject([
      { clientId: 'A', destination: 'id_token', names: ['groups'] },
      { clientId: 'A', destination: 'userinfo', names: ['groups'] },
    ])
  })

  it('cannot name claims for ID tokens that have none (OIDC Core §5.4)', async () => {
    await expect(startServer({ ...releasing({ idTokenClaims: ['groups'] }), scopeClaims: 'userinfo' })).rejects.toThrow(
      'api.read has idTokenClaims or identityClaims, but scopeClaims is "userinfo"',
    )
  })
})
