import { updateClient } from '@mintmark/core'
import { clientId, organizationId, userId, type TokenFamilyRecord } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { answerInteraction, authorize, baseRequest, redeem, signedInAs, type Change } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  serviceToken,
  storedFamilies,
  tokensOf,
  type Tokens,
} from '../support/token-calls.ts'

type Options = NonNullable<Parameters<typeof startServer>[0]>

/** Starts a server on which client A may ask for an organization, and U1 belongs to the given ones. */
async function serverWith(memberships: Readonly<Record<string, readonly string[]>>, options: Options = {}) {
  const site = await startServer({ organizations: true, revocationFeed: true, ...options })
  onTestFinished(() => site.close())
  const scopes = ['openid', 'profile', 'offline_access', 'api.read', 'organization']
  await updateClient({ clientId: 'A' }, { scopes }, { storage: site.storage })
  for (const id of ['acme', 'globex', 'initech']) await found(site, id)
  for (const [id, roles] of Object.entries(memberships)) await join(site, id, roles)
  return site
}

const found = ({ storage, clock }: ServerUnderTest, id: string) =>
  storage.organizations.insert({
    organizationId: organizationId(id),
    displayName: `${id.toUpperCase()} Inc.`,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    version: 1,
  })

const join = ({ storage, clock }: ServerUnderTest, id: string, roles: readonly string[]) =>
  storage.organizations.insertMember({
    organizationId: organizationId(id),
    userId: userId('U1'),
    roles,
    createdAt: clock.now(),
    updatedAt: clock.now(),
    version: 1,
  })

const leave = ({ storage, clock }: ServerUnderTest, id: string) =>
  storage.organizations.removeMember(organizationId(id), userId('U1'), clock.now())

const scope = 'openid offline_access api.read organization'
const consent = scope
  .split(' ')
  .map((value) => `scope=${value}`)
  .join('&')

/** Requests a code, and submits this form on the consent page. */
async function consentTo(site: ServerUnderTest, change: Change = {}, form = consent): Promise<Reply> {
  const started = await authorize(site, { scope, ...change })
  return started.location.searchParams.has('interaction') ? answerInteraction(site, started, form) : started
}

async function codeFor(site: ServerUnderTest, change: Change = {}, form = consent): Promise<string> {
  const reply = await consentTo(site, change, form)
  const code = reply.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.header('location')}`)
  return code
}

async function tokensFor(site: ServerUnderTest, change: Change = {}, form = consent): Promise<Tokens> {
  const reply = await redeem(site, await codeFor(site, change, form))
  expect(reply.status, reply.text).toBe(200)
  return tokensOf(reply)
}

const acme = { org_id: 'acme', org_name: 'ACME Inc.' }
const globex = { org_id: 'globex', org_name: 'GLOBEX Inc.' }

describe('a request for an organization', () => {
  it('gets tokens for the only organization of the user, and so do refreshes (RFC 9068 §2.2)', async () => {
    const site = await serverWith({ acme: ['owner'] })

    const tokens = await tokensFor(site)
    const refreshed = tokensOf(await refresh(site, tokens.refresh_token))

    for (const token of [tokens.access_token, tokens.id_token, refreshed.access_token, refreshed.id_token])
      expect(decodeJwt(token)).toMatchObject(acme)
    expect((await introspect(site, tokens.access_token)).json).toMatchObject(acme)
  })

  it.each(['globex', 'GLOBEX Inc.'])('gets tokens for the organization that it names: %s', async (organization) => {
    const site = await serverWith({ acme: [], globex: [] })

    expect(decodeJwt((await tokensFor(site, { organization })).access_token)).toMatchObject(globex)
  })

  it.each([
    ['initech', { acme: [] }],
    ['none', { acme: [] }],
    [undefined, {}],
  ] as const)(
    'is refused when it names %s and the organizations of the user are %j (RFC 6749 §4.1.2.1)',
    async (named, memberships) => {
      const site = await serverWith(memberships)
      const before = site.dump()

      const reply = await authorize(site, { scope, organization: named })

      expect(reply.location.searchParams.get('error')).toBe('access_denied')
      expect(site.lastReason()).toBe('organization_not_member')
      expect(site.dump()).toBe(before)
    },
  )

  it('asks a user of several organizations each time, even after an earlier consent', async () => {
    const site = await serverWith({ acme: [], globex: [] })

    const first = await tokensFor(site, {}, `${consent}&organization=acme`)
    const second = await tokensFor(site, {}, `${consent}&organization=globex`)

    expect(decodeJwt(first.access_token)).toMatchObject(acme)
    expect(decodeJwt(second.access_token)).toMatchObject(globex)
  })

  it('shows the organizations that the user can choose, and waits for the choice', async () => {
    const site = await serverWith({ acme: [], globex: [] })
    const started = await authorize(site, { scope })
    const { pathname, search } = started.location
    const cookie = [started.cookies[0]?.split(';', 1)[0], signedInAs(site, 'U1')].join('; ')

    const shown = await site.send({ path: pathname + search, headers: { cookie } })
    const undecided = await answerInteraction(site, started, consent)

    expect(shown.json).toMatchObject({
      kind: 'consent',
      organizations: [
        { organizationId: 'acme', name: 'ACME Inc.' },
        { organizationId: 'globex', name: 'GLOBEX Inc.' },
      ],
    })
    expect(undecided.location.pathname).toBe('/consent')
  })

  it('is refused for an organization that was not offered, whatever the form says (RFC 6749 §4.1.2.1)', async () => {
    const site = await serverWith({ acme: [], globex: [] })

    const reply = await consentTo(site, {}, `${consent}&organization=initech`)

    expect(reply.location.searchParams.get('error')).toBe('access_denied')
    expect(site.lastReason()).toBe('organization_not_member')
  })

  it('gets tokens for no organization when the user does not consent to the scope', async () => {
    const site = await serverWith({ acme: [], globex: [] })

    const { access_token } = await tokensFor(site, {}, consent.replace('&scope=organization', ''))

    expect(decodeJwt(access_token)).not.toHaveProperty('org_id')
  })

  it('is refused when it names an organization without the scope organization (RFC 6749 §4.1.2.1)', async () => {
    const site = await serverWith({ acme: [] })

    const reply = await authorize(site, { scope: 'openid', organization: 'acme' })

    expect(reply.location.searchParams.get('error')).toBe('invalid_request')
    expect(site.lastReason()).toBe('organization_without_scope')
  })

  it('gets tokens for no organization from a server without organizations (RFC 6749 §3.1, OIDC Core §3.1.2.1)', async () => {
    const site = await serverWith({ acme: [] }, { organizations: false })

    const reply = await consentTo(site, { organization: 'acme', scope: baseRequest.scope }, 'scope=openid')

    expect(
      decodeJwt(tokensOf(await redeem(site, String(reply.location.searchParams.get('code')))).access_token),
    ).not.toHaveProperty('org_id')
  })
})

describe('a token for an organization', () => {
  it('has the roles of the membership with organization_roles, as they are at each refresh (RFC 9068 §2.2.3)', async () => {
    const site = await serverWith(
      { acme: ['owner'], globex: ['guest'] },
      {
        resources: {
          'https://api.test': { scopes: ['api.read'], accessTokenClaims: { roles: ['organization_roles'] } },
        },
      },
    )
    const { access_token, refresh_token } = await tokensFor(site, { organization: 'acme' })
    const member = await site.storage.organizations.findMember(organizationId('acme'), userId('U1'))
    if (member === undefined) throw new Error('U1 is no member')
    await site.storage.organizations.compareAndSwapMember({ ...member, roles: ['viewer'] }, member.version)

    const refreshed = tokensOf(await refresh(site, refresh_token))

    expect(decodeJwt(access_token)).toMatchObject({ roles: ['owner'] })
    expect(decodeJwt(refreshed.access_token)).toMatchObject({ roles: ['viewer'] })
  })

  it('is permanently revoked with the membership, and tokens for another organization are not (RFC 7009 §2.1)', async () => {
    const site = await serverWith({ acme: [], globex: [] })
    const ofAcme = await tokensFor(site, { organization: 'acme' })
    const ofGlobex = await tokensFor(site, { organization: 'globex' })

    await leave(site, 'acme')
    await join(site, 'acme', [])

    expect((await introspect(site, ofAcme.access_token)).json).toEqual({ active: false })
    expect((await introspect(site, ofGlobex.access_token)).json).toMatchObject({ active: true })
    expect(await refresh(site, ofAcme.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect((await refresh(site, ofGlobex.refresh_token)).status).toBe(200)
    const { records } = await site.storage.revocations.list({
      from: undefined,
      revokedSince: site.clock.now(),
      limit: 9,
    })
    expect(records.map(({ revocation }) => revocation).filter(({ kind }) => kind === 'family')).toEqual([
      { kind: 'family', familyId: decodeJwt(ofAcme.access_token)['family'] },
    ])
  })

  it('is not issued for the code of a former member (RFC 6749 §5.2)', async () => {
    const site = await serverWith({ acme: [] })
    const code = await codeFor(site)
    await leave(site, 'acme')

    expect(await redeem(site, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })

    expect(site.lastReason()).toBe('organization_left')
    expect(storedFamilies(site)).toMatchObject({ byId: [] })
  })

  it('is revoked when the member is removed while the code is redeemed (RFC 6749 §5.2)', async () => {
    const site = await serverWith({ acme: [] })
    const code = await codeFor(site)
    const { families } = site.storage
    const honest = { ...families }
    Object.assign(families, {
      insert: async (family: TokenFamilyRecord) => {
        await leave(site, 'acme')
        return honest.insert(family)
      },
    })

    expect(await redeem(site, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })

    expect(site.lastReason()).toBe('organization_left')
    expect(storedFamilies(site)).toMatchObject({ byId: [[expect.anything(), { revokedAt: site.clock.now() }]] })
  })

  it('has claims of the organization that the claims function sees and cannot override (RFC 9068 §2.2)', async () => {
    const seen: unknown[] = []
    let claims = {}
    const site = await serverWith(
      { acme: ['owner'] },
      { claims: ({ organization }) => (seen.push(organization), { access_token: claims }) },
    )
    const { refresh_token } = await tokensFor(site)
    claims = { org_id: 'globex' }
    await authenticateEveryClient(site)
    const before = site.dump()

    expect((await refresh(site, refresh_token)).status).toBe(500)

    expect(seen[0]).toEqual({ id: 'acme', name: 'ACME Inc.', roles: ['owner'] })
    expect(site.lastReason()).toBe('claims_failed')
    expect(site.dump()).toBe(before)
  })
})

describe('a client that belongs to an organization', () => {
  it('gets tokens for the organization in its own name (RFC 6749 §4.4)', async () => {
    const site = await serverWith({})
    await updateClient({ clientId: 'M' }, { organizationId: 'acme' }, { storage: site.storage })

    expect(decodeJwt(tokensOf(await serviceToken(site)).access_token)).toMatchObject({ sub: 'M', ...acme })
    expect((await site.storage.clients.find(clientId('M')))?.organizationId).toBe('acme')
  })

  it('gets no tokens when the organization does not exist (RFC 6749 §5.2)', async () => {
    const site = await serverWith({})
    await updateClient({ clientId: 'M' }, { organizationId: 'acme' }, { storage: site.storage })
    await site.storage.organizations.remove(organizationId('acme'), site.clock.now())
    await authenticateEveryClient(site)
    const before = site.dump()

    expect(await serviceToken(site)).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } })

    expect(site.lastReason()).toBe('organization_removed')
    expect(site.dump()).toBe(before)
  })
})
