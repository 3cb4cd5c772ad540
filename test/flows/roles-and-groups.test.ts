import { createAuthorizationServer } from '@mintmark/core'
import { decodeJwt, type JWTPayload } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { obtainCode, redeem, signedInAs } from '../support/flow.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect, refresh, serviceToken, tokensOf, type Tokens, userinfo } from '../support/token-calls.ts'

type Options = NonNullable<Parameters<typeof startServer>[0]>

const resource = 'https://api.test'
const resources = {
  [resource]: {
    scopes: ['api.read', 'api.write'],
    accessTokenClaims: {
      roles: ['scim_roles', { claim: 'title' }],
      groups: ['group_names'],
      entitlements: ['scim_entitlements'],
    },
  },
} as const satisfies Options['resources']

/** Starts a site where the directory T1 provisions kim with roles, entitlements and these groups. */
async function siteWith(options: Options, groups: readonly string[] = ['Admins', 'Sales']) {
  const site = await startScimSite({
    oauth: await startServer({ resources, ...options }),
    claims: ({ userName, title }) => ({ preferred_username: userName ?? '', title: title ?? '' }),
  })
  onTestFinished(() => site.close())
  const user = await create(site, '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'kim',
    externalId: 'k1',
    title: 'lead',
    roles: [{ value: 'editor', primary: true }, { value: 'author' }],
    entitlements: [{ value: 'seat' }],
  })
  for (const displayName of groups) await createGroup(site, displayName, user)
  return { site, user }
}

async function create(site: ScimSite, path: string, body: object): Promise<string> {
  const reply = await site.send({ method: 'POST', path, body })
  expect(reply.status, reply.text).toBe(201)
  return String((reply.json as { readonly id: unknown }).id)
}

const createGroup = (site: ScimSite, displayName: string, user: string): Promise<string> =>
  create(site, '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName,
    members: [{ value: user }],
  })

const scope = 'openid api.read offline_access'

const codeFor = ({ oauth }: ScimSite, user: string): Promise<string> =>
  obtainCode(oauth, { scope }, { cookie: signedInAs(oauth, user) })

async function tokensOfUser(site: ScimSite, user: string): Promise<Tokens> {
  const reply = await redeem(site.oauth, await codeFor(site, user))
  expect(reply.status, reply.text).toBe(200)
  return tokensOf(reply)
}

const claimsOf = (token: string): JWTPayload => decodeJwt(token)

describe('an access token for an API with accessTokenClaims', () => {
  it('has the roles, groups and entitlements of a provisioned user (RFC 9068 §2.2.3)', async () => {
    const { site, user } = await siteWith({})

    const { access_token, id_token } = await tokensOfUser(site, user)

    const expected = {
      roles: ['editor', 'author', 'lead'],
      groups: inAnyOrder('Admins', 'Sales'),
      entitlements: ['seat'],
    }
    expect(claimsOf(access_token)).toMatchObject(expected)
    expect((await introspect(site.oauth, access_token)).json).toMatchObject(expected)
    expect(claimsOf(id_token)).not.toHaveProperty('groups')
  })

  it('has the groups that the user belongs to when it is refreshed (RFC 9068 §2.2.3)', async () => {
    const { site, user } = await siteWith({}, ['Admins'])
    const first = await tokensOfUser(site, user)
    await createGroup(site, 'Managers', user)

    const second = tokensOf(await refresh(site.oauth, first.refresh_token))

    expect(claimsOf(first.access_token)['groups']).toEqual(['Admins'])
    expect(claimsOf(second.access_token)['groups']).toEqual(inAnyOrder('Admins', 'Managers'))
  })

  it('has the SCIM id of groups with group_ids (RFC 7643 §4.1.2)', async () => {
    const { site, user } = await siteWith(
      { resources: { [resource]: { scopes: ['api.read'], accessTokenClaims: { groups: ['group_ids'] } } } },
      [],
    )
    const group = await createGroup(site, 'Admins', user)

    const { access_token } = await tokensOfUser(site, user)

    expect(claimsOf(access_token)).toMatchObject({ groups: [group] })
    expect(claimsOf(access_token)).not.toHaveProperty('roles')
  })

  it('has empty claims for a user without a directory, and none for a client that acts for itself (RFC 9068 §2.2.3)', async () => {
    const { site } = await siteWith({})

    const ofUser = await tokensOfUser(site, 'U1')
    const ofClient = tokensOf(await serviceToken(site.oauth))

    expect(claimsOf(ofUser.access_token)).toMatchObject({ roles: [], groups: [], entitlements: [] })
    expect(claimsOf(ofClient.access_token)).not.toHaveProperty('roles')
  })

  it('has claims of a scope value only when it has the scope value (RFC 9068 §2.2.3)', async () => {
    const { site, user } = await siteWith({
      scopes: {
        'api.read': { description: 'Read', accessTokenClaims: { groups: ['group_names'] } },
        'api.write': { description: 'Write', accessTokenClaims: { roles: ['scim_roles'] } },
      },
      resources: { [resource]: { scopes: ['api.read', 'api.write'] } },
    })

    const { access_token } = await tokensOfUser(site, user)

    expect(claimsOf(access_token)).toMatchObject({ groups: inAnyOrder('Admins', 'Sales') })
    expect(claimsOf(access_token)).not.toHaveProperty('roles')
  })

  it('has the claims function’s value instead of the configured one', async () => {
    const { site, user } = await siteWith({ claims: () => ({ access_token: { groups: ['from code'] } }) })

    expect(claimsOf((await tokensOfUser(site, user)).access_token)).toMatchObject({ groups: ['from code'] })
  })
})

describe('claims that are too large for an access token', () => {
  it('lead to an error, and neither the code nor a refresh token is used up (RFC 6749 §5.2)', async () => {
    const { site, user } = await siteWith({ accessTokenClaimLimits: { values: 3 } }, ['A', 'B', 'C'])
    const { refresh_token } = await tokensOfUser(site, user)
    const code = await codeFor(site, user)
    const fourth = await createGroup(site, 'D', user)
    const before = site.dump()

    const replies = [await redeem(site.oauth, code), await refresh(site.oauth, refresh_token)]

    for (const reply of replies) expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_scope' } })
    expect(site.oauth.lastReason()).toBe('claims_too_large')
    expect(site.dump()).toBe(before)
    await site.send({ method: 'DELETE', path: `/Groups/${fourth}` })
    expect((await redeem(site.oauth, code)).status).toBe(200)
    expect((await refresh(site.oauth, refresh_token)).status).toBe(200)
  })

  it('are left out with overflow omit, and the token and the event name them (RFC 9068 §2.2.3)', async () => {
    const { site, user } = await siteWith({ accessTokenClaimLimits: { values: 3, overflow: 'omit' } }, [
      'A',
      'B',
      'C',
      'D',
    ])

    const { access_token } = await tokensOfUser(site, user)

    expect(claimsOf(access_token)).toMatchObject({ roles: ['editor', 'author', 'lead'], claims_overflow: ['groups'] })
    expect(claimsOf(access_token)).not.toHaveProperty('groups')
    expect(site.oauth.events.findLast(({ type }) => type === 'tokens.issued')).toMatchObject({
      omittedClaims: ['groups'],
    })
  })
})

it('claims from a directory are refused at start-up when the storage has no provisioned users', async () => {
  const server = await startServer()
  onTestFinished(() => server.close())
  const { provisionedUsers: _, ...storage } = server.storage
  const options = { issuer: server.issuer, storage, keys: server.keys, signedIn: () => Promise.resolve(undefined) }
  const of = (groups: 'group_names' | { readonly claim: string }) =>
    createAuthorizationServer({
      ...options,
      scopes: { 'api.read': { description: 'Read', accessTokenClaims: { groups: [groups] } } },
    })

  expect(() => of('group_names')).toThrow(/accessTokenClaims needs a storage with .*provisionedUsers/)
  expect(() => of({ claim: 'teams' })).not.toThrow()
})

/** Groups have no order. */
const inAnyOrder = (...values: readonly string[]): unknown => {
  const arrangement: unknown = expect.arrayContaining([...values])
  return arrangement
}

describe('roles and groups about the user', () => {
  const identityClaims = { groups: ['group_names'], roles: ['scim_roles'] } as const
  const scopes = { 'api.read': { description: 'Read the API', identityClaims }, 'api.write': 'Write to the API' }
  const about = async ({ site, user }: Awaited<ReturnType<typeof siteWith>>) => {
    const tokens = tokensOf(await redeem(site.oauth, await codeFor(site, user)))
    const reply = await userinfo(site.oauth, tokens.access_token)
    return { idToken: decodeJwt(tokens.id_token), userinfo: reply.json as JWTPayload }
  }

  it('are in the ID token and at userinfo if a scope value says so (RFC 7643 §4.1.2)', async () => {
    const found = await about(await siteWith({ scopes, resources: {} }))

    const expected = {
      groups: expect.arrayContaining(['Admins', 'Sales']) as unknown,
      roles: ['editor', 'author'],
    }
    expect(found.idToken).toMatchObject(expected)
    expect(found.userinfo).toMatchObject(expected)
  })

  it('are left out whole if they exceed the limit, and claims_overflow names them', async () => {
    const found = await about(
      await siteWith({ scopes, resources: {}, accessTokenClaimLimits: { values: 1, overflow: 'omit' } }),
    )

    for (const claims of [found.idToken, found.userinfo]) {
      expect(claims).toMatchObject({ claims_overflow: ['roles', 'groups'] })
      expect(claims).not.toHaveProperty('groups')
      expect(claims).not.toHaveProperty('roles')
    }
  })
})
