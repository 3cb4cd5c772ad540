import { createAdministration } from '@mintmark/admin'
import { updateClient, withDirectoryRoles } from '@mintmark/core'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished, test } from 'vitest'

import { aMigratedPostgres, aMigratedSqlite } from '../../packages/storage-sql/test/support/migrated-dialects.ts'
import { answerInteraction, authorize, redeem, signedInAs } from '../support/flow.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect, refresh, tokensOf, type Tokens } from '../support/token-calls.ts'

const issuer = 'https://as.test'
const scope = 'openid api.read organization offline_access'
const roles = ['owner', 'auditor', 'support']
const rules = [
  { scimRole: 'Administrator', role: 'owner' },
  { group: 'Auditors', role: 'auditor' },
  { groupExternalId: 'g-support', providerId: 'T1', role: 'support' },
]

/** Starts a site whose directory T1 belongs to the organization acme. */
async function aSite(database: AdminStorage = createMemoryStorage({ issuer })): Promise<ScimSite> {
  const oauth = await startServer({
    storage: withDirectoryRoles(database, { roles, rules }),
    organizations: true,
    resources: {
      'https://api.test': { scopes: ['api.read'], accessTokenClaims: { roles: ['organization_roles'] } },
    },
  })
  const site = await startScimSite({ oauth })
  onTestFinished(() => site.close())
  await updateClient({ clientId: 'A' }, { scopes: scope.split(' ') }, { storage: site.storage })
  const { organizations, identityProviders } = administrationOf(site)
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  await organizations.create({ organizationId: 'other', displayName: 'Other' })
  await identityProviders.update({ providerId: 'T1' }, { organizationId: 'acme' })
  return site
}

const administrationOf = ({ storage, oauth }: Pick<ScimSite, 'storage' | 'oauth'>) =>
  createAdministration({ storage, clock: oauth.clock.now }).as({ kind: 'host', id: 'test' })

async function create(site: ScimSite, path: '/Users' | '/Groups', resource: JsonObject): Promise<string> {
  const reply = await site.send({ method: 'POST', path, body: { schemas: [schemas[path]], ...resource } })
  expect(reply.status, reply.text).toBe(201)
  return String((reply.json as { readonly id: unknown }).id)
}

const schemas = {
  '/Users': 'urn:ietf:params:scim:schemas:core:2.0:User',
  '/Groups': 'urn:ietf:params:scim:schemas:core:2.0:Group',
}

const patch = async (site: ScimSite, path: string, ...Operations: readonly JsonObject[]): Promise<void> => {
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }
  expect((await site.send({ method: 'PATCH', path, body })).status).toBeLessThan(300)
}

async function tokensOfUser({ oauth }: ScimSite, user: string, organization = 'acme'): Promise<Tokens> {
  const cookie = { cookie: signedInAs(oauth, user) }
  const started = await authorize(oauth, { scope, resource: 'https://api.test', organization }, cookie)
  const answer = scope.split(' ').map((value) => `scope=${value}`)
  const done = started.location.searchParams.has('code')
    ? started
    : await answerInteraction(oauth, started, answer.join('&'))
  return tokensOf(await redeem(oauth, done.location.searchParams.get('code') ?? ''))
}

const rolesIn = ({ access_token }: Tokens): unknown => decodeJwt(access_token)['roles']

describe.for([
  { name: 'memory', open: async () => createMemoryStorage({ issuer }) },
  { name: 'SQLite', open: async () => createSqlStorage({ dialect: await aMigratedSqlite(), issuer }) },
  { name: 'PostgreSQL', open: async () => createSqlStorage({ dialect: await aMigratedPostgres({ max: 10 }), issuer }) },
])('roles that a directory assigns, on $name', ({ open }) => {
  /** How a directory gives a role, and how it takes the role away. */
  const ways = [
    {
      way: 'the attribute roles is changed',
      role: 'owner',
      give: async (site: ScimSite, user: string) => {
        await patch(site, `/Users/${user}`, { op: 'add', path: 'roles', value: [{ value: 'Administrator' }] })
        return `/Users/${user}`
      },
      take: (site: ScimSite, path: string) => patch(site, path, { op: 'remove', path: 'roles' }),
    },
    {
      way: 'the user leaves a group',
      role: 'auditor',
      give: (site: ScimSite, user: string) => aGroup(site, { displayName: 'Auditors', members: [{ value: user }] }),
      take: (site: ScimSite, path: string, user: string) =>
        patch(site, path, { op: 'remove', path: `members[value eq "${user}"]` }),
    },
    {
      way: 'the members of a group are replaced',
      role: 'support',
      give: (site: ScimSite, user: string) =>
        aGroup(site, { displayName: 'Help', externalId: 'g-support', members: [{ value: user }] }),
      take: (site: ScimSite, path: string) => patch(site, path, { op: 'replace', path: 'members', value: [] }),
    },
    {
      way: 'a group is renamed',
      role: 'auditor',
      give: (site: ScimSite, user: string) => aGroup(site, { displayName: 'Auditors', members: [{ value: user }] }),
      take: (site: ScimSite, path: string) =>
        patch(site, path, { op: 'replace', path: 'displayName', value: 'Former' }),
    },
    {
      way: 'a group is removed',
      role: 'auditor',
      give: (site: ScimSite, user: string) => aGroup(site, { displayName: 'Auditors', members: [{ value: user }] }),
      take: async (site: ScimSite, path: string) => {
        expect((await site.send({ method: 'DELETE', path })).status).toBe(204)
      },
    },
  ]

  it.for(ways)('law: no token has a role after the directory takes it away: $way', async ({ role, give, take }) => {
    const site = await aSite(await open())
    const kim = await create(site, '/Users', { userName: 'kim', externalId: 'kim' })
    const colleague = await create(site, '/Users', { userName: 'lee', externalId: 'lee' })
    const { organizations } = administrationOf(site)
    await organizations.writeMember({ organizationId: 'acme', userId: kim }, ['support', 'own'])
    const path = await give(site, kim)
    const before = await tokensOfUser(site, kim)
    const others = await tokensOfUser(site, colleague)
    expect(rolesIn(before)).toContain(role)
    expect(rolesIn(others)).toEqual([])

    await take(site, path, kim)

    expect((await introspect(site.oauth, before.access_token)).json).toEqual({ active: false })
    expect((await refresh(site.oauth, before.refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
    expect((await introspect(site.oauth, others.access_token)).json).toMatchObject({ active: true })
    // Roles that an administrator assigned stay.
    expect(rolesIn(await tokensOfUser(site, kim))).toEqual(['support', 'own'])
  })
})

const aGroup = async (site: ScimSite, group: JsonObject): Promise<string> =>
  `/Groups/${await create(site, '/Groups', group)}`

test('a role that a directory gives is in the next token, and revokes nothing (RFC 9068 §2.2.3)', async () => {
  const site = await aSite()
  const kim = await create(site, '/Users', { userName: 'kim', externalId: 'kim' })
  const before = await tokensOfUser(site, kim)

  await patch(site, `/Users/${kim}`, { op: 'add', path: 'roles', value: [{ value: 'Administrator' }] })
  await aGroup(site, { displayName: 'Auditors', members: [{ value: kim }] })

  expect((await introspect(site.oauth, before.access_token)).json).toMatchObject({ active: true })
  const refreshed = tokensOf(await refresh(site.oauth, before.refresh_token))
  expect([rolesIn(before), rolesIn(refreshed)]).toEqual([[], ['owner', 'auditor']])
})

test('a directory gives roles only in its own organization', async () => {
  const site = await aSite()
  const kim = await create(site, '/Users', { userName: 'kim', externalId: 'kim', roles: [{ value: 'Administrator' }] })
  await administrationOf(site).organizations.writeMember({ organizationId: 'other', userId: kim }, ['auditor'])

  expect(rolesIn(await tokensOfUser(site, kim, 'other'))).toEqual(['auditor'])
  expect(rolesIn(await tokensOfUser(site, kim))).toEqual(['owner'])
})

test('a rule for one directory does not apply to another', async () => {
  const site = await aSite()
  await administrationOf(site).identityProviders.update({ providerId: 'T2' }, { organizationId: 'acme' })
  const asT2 = { provider: 'T2', headers: { authorization: `Bearer ${site.secrets.T2}` } }
  const post = async (path: '/Users' | '/Groups', resource: JsonObject): Promise<string> => {
    const reply = await site.send({ method: 'POST', path, ...asT2, body: { schemas: [schemas[path]], ...resource } })
    expect(reply.status, reply.text).toBe(201)
    return String((reply.json as { readonly id: unknown }).id)
  }
  const kim = await post('/Users', { userName: 'kim', externalId: 'kim' })
  await post('/Groups', { displayName: 'Help', externalId: 'g-support', members: [{ value: kim }] })

  expect(rolesIn(await tokensOfUser(site, kim))).toEqual([])
})

test('roles without a rule are reported once, and give nothing', async () => {
  const site = await aSite()
  const value = [{ value: 'administrator' }, { value: 'Intern' }, { value: 'Guest' }]
  const kim = await create(site, '/Users', { userName: 'kim', externalId: 'kim', roles: value })
  await patch(site, `/Users/${kim}`, { op: 'replace', path: 'displayName', value: 'Kim' })

  const reported = site.events.filter(({ type }) => type === 'roles.unmapped')
  expect(reported).toMatchObject([{ providerId: 'T1', userId: kim, values: ['Intern', 'Guest'] }])
  expect(rolesIn(await tokensOfUser(site, kim))).toEqual(['owner'])
})

test('a code whose user loses a role before the tokens are stored gets no token (RFC 6749 §5.2)', async () => {
  const database = createMemoryStorage({ issuer })
  const { families } = database
  let beforeInsert = async (): Promise<void> => undefined
  const insert: typeof families.insert = async (family) => {
    await beforeInsert()
    return families.insert(family)
  }
  const site = await aSite({ ...database, families: { ...families, insert } })
  const kim = await create(site, '/Users', { userName: 'kim', externalId: 'kim', roles: [{ value: 'Administrator' }] })
  await tokensOfUser(site, kim)
  const started = await authorize(
    site.oauth,
    { scope, resource: 'https://api.test' },
    { cookie: signedInAs(site.oauth, kim) },
  )
  beforeInsert = () => patch(site, `/Users/${kim}`, { op: 'remove', path: 'roles' })

  const reply = await redeem(site.oauth, started.location.searchParams.get('code') ?? '')

  expect(reply.json).toMatchObject({ error: 'invalid_grant' })
  expect(site.oauth.lastReason()).toBe('organization_role_lost')
})

test.for([
  {
    rule: { scimRole: 'Administrator', role: 'admin' },
    problem: /the role admin of a rule is not one of the roles owner, auditor, support/,
  },
  { rule: { role: 'owner' }, problem: /must have one of scimRole, group, groupExternalId/ },
  { rule: { role: 'owner', scimRole: 'A', group: 'B' }, problem: /must have one of/ },
  { rule: { role: 'owner', scimRole: '' }, problem: /scimRole must be/ },
])('a mapping with the rule $rule is refused at start', ({ rule, problem }) => {
  const database = createMemoryStorage({ issuer })
  expect(() => withDirectoryRoles(database, { roles, rules: [rule] })).toThrow(problem)
})
