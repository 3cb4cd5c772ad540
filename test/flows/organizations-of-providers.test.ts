import { createAdministration } from '@mintmark/admin'
import { updateClient } from '@mintmark/core'
import { organizationId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { answerInteraction, authorize, redeem, signedInAs } from '../support/flow.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect, tokensOf, type Tokens } from '../support/token-calls.ts'

const scope = 'openid api.read organization'

/** Starts a site with the directory T1 and the organization acme. */
async function aSite() {
  const oauth = await startServer({
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
  return { site, organizations, identityProviders }
}

const administrationOf = ({ storage, oauth }: ScimSite) =>
  createAdministration({ storage, clock: oauth.clock.now }).as({ kind: 'host', id: 'test' })

async function create(site: ScimSite, name: string): Promise<string> {
  const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: name, externalId: name }
  const reply = await site.send({ method: 'POST', path: '/Users', body })
  expect(reply.status, reply.text).toBe(201)
  return String((reply.json as { readonly id: unknown }).id)
}

async function tokensOfUser({ oauth }: ScimSite, user: string): Promise<Tokens> {
  const cookie = { cookie: signedInAs(oauth, user) }
  const started = await authorize(oauth, { scope, resource: 'https://api.test' }, cookie)
  const done = started.location.searchParams.has('code')
    ? started
    : await answerInteraction(oauth, started, 'scope=openid&scope=api.read&scope=organization')
  return tokensOf(await redeem(oauth, done.location.searchParams.get('code') ?? ''))
}

it('users whom a directory creates get tokens for its organization, and lose them when it removes them (RFC 7644 §3.3, §3.6)', async () => {
  const { site, organizations, identityProviders } = await aSite()
  await identityProviders.update({ providerId: 'T1' }, { organizationId: 'acme' })

  const kim = await create(site, 'kim')
  const first = await tokensOfUser(site, kim)
  await organizations.writeMember({ organizationId: 'acme', userId: kim }, ['owner'])
  const second = await tokensOfUser(site, kim)

  expect(decodeJwt(first.access_token)).toMatchObject({ org_id: 'acme', org_name: 'Acme', roles: [] })
  expect(decodeJwt(second.access_token)).toMatchObject({ org_id: 'acme', roles: ['owner'] })

  expect((await site.send({ method: 'DELETE', path: `/Users/${kim}` })).status).toBe(204)
  expect((await organizations.listMembers('acme')).items).toEqual([])
  expect((await introspect(site.oauth, second.access_token)).json).toEqual({ active: false })
})

it('a deactivated user keeps the membership and its roles, and can use neither (RFC 7644 §3.5.2)', async () => {
  const { site, organizations, identityProviders } = await aSite()
  await identityProviders.update({ providerId: 'T1' }, { organizationId: 'acme' })
  const kim = await create(site, 'kim')
  await organizations.writeMember({ organizationId: 'acme', userId: kim }, ['owner'])
  const tokens = await tokensOfUser(site, kim)
  const setActive = (value: boolean) =>
    site.send({
      method: 'PATCH',
      path: `/Users/${kim}`,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value }],
      },
    })

  expect((await setActive(false)).status).toBe(200)
  expect((await introspect(site.oauth, tokens.access_token)).json).toEqual({ active: false })

  expect((await setActive(true)).status).toBe(200)
  expect((await introspect(site.oauth, tokens.access_token)).json).toEqual({ active: false })
  expect(decodeJwt((await tokensOfUser(site, kim)).access_token)).toMatchObject({ org_id: 'acme', roles: ['owner'] })
})

it('assigning a directory to an organization makes its users members, and ending the assignment removes no member', async () => {
  const { site, organizations, identityProviders } = await aSite()
  const before = [await create(site, 'ann'), await create(site, 'bob')]
  await organizations.writeMember({ organizationId: 'acme', userId: String(before[0]) }, ['owner'])
  const members = async () =>
    (await organizations.listMembers('acme')).items.map(({ userId: id, roles }): [string, readonly string[]] => [
      id,
      roles,
    ])

  await identityProviders.update({ providerId: 'T1' }, { organizationId: 'acme' })
  await identityProviders.update({ providerId: 'T1' }, { displayName: 'Still of Acme' })
  expect(await identityProviders.read('T1')).toMatchObject({ organizationId: 'acme' })
  expect(new Map(await members())).toEqual(
    new Map<string, readonly string[]>([
      [String(before[0]), ['owner']],
      [String(before[1]), []],
    ]),
  )

  await identityProviders.update({ providerId: 'T1' }, { organizationId: null })
  const late = await create(site, 'late')
  expect(await site.storage.organizations.findMember(organizationId('acme'), userId(late))).toBeUndefined()
  expect(await members()).toHaveLength(2)
})

it('an unknown organization is refused, and the directory stays as it was (RFC 9110 §15.5.5)', async () => {
  const { site, identityProviders } = await aSite()
  const before = await identityProviders.read('T1')

  const refused = identityProviders.update({ providerId: 'T1' }, { organizationId: 'none' })
  const registered = identityProviders.register({ providerId: 'T9', organizationId: 'none' })

  await expect(refused).rejects.toMatchObject({ reason: 'organization_unknown' })
  await expect(registered).rejects.toMatchObject({ reason: 'organization_unknown' })
  expect(await identityProviders.read('T1')).toEqual(before)
  expect((await create(site, 'kim')).length).toBeGreaterThan(0)
})
