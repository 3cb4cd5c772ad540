import { createScimServer } from '@mintmark/scim'
import { afterEach, expect, it } from 'vitest'

import { startAdminSite, type AdminSite } from '../support/admin-site.ts'
import { baseRequest, obtainTokens } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'
import { introspect, refresh, revoke, userinfo } from '../support/token-calls.ts'

let site: AdminSite
afterEach(() => site.close())

const offline = { scope: `${baseRequest.scope} offline_access` }

it('deactivating a user revokes everything at once, and reactivation restores nothing issued before', async () => {
  site = await startAdminSite()
  const { oauth } = site
  const { access_token = '', refresh_token = '' } = await obtainTokens(oauth, offline)
  expect((await userinfo(oauth, access_token)).status).toBe(200)

  const reply = await site.send({ method: 'POST', path: '/users/U1/deactivate' })

  expect(reply).toMatchObject({
    status: 200,
    json: { user: { active: false }, ended: { grants: [{ client_id: 'A' }] } },
  })
  await site.send({ method: 'POST', path: '/users/U1/reactivate' })
  expect((await userinfo(oauth, access_token)).status).toBe(401)
  expect((await refresh(oauth, refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
  expect((await introspect(oauth, access_token)).json).toEqual({ active: false })
})

it('revoking a grant or disabling a client makes its tokens unusable, and no others', async () => {
  site = await startAdminSite()
  const { oauth } = site
  const first = await obtainTokens(oauth, offline)
  const { json } = await site.send({ path: '/users/U1/grants' })
  expect(json).toMatchObject({ items: [{ client_id: 'A', resources: [] }] })
  const { grant_id: grantId } = (json['items'] as readonly [{ readonly grant_id: string }])[0]

  expect((await site.send({ method: 'DELETE', path: `/users/U1/grants/${grantId}` })).status).toBe(204)
  expect((await userinfo(oauth, first['access_token'] ?? '')).status).toBe(401)
  const second = await obtainTokens(oauth, offline)
  await site.send({ method: 'POST', path: '/clients/A/disable' })
  expect((await userinfo(oauth, second['access_token'] ?? '')).status).toBe(401)
  await site.send({ method: 'POST', path: '/clients/A/enable' })
  expect((await userinfo(oauth, second['access_token'] ?? '')).status).toBe(200)
  await site.send({ method: 'DELETE', path: '/clients/A' })
  expect((await userinfo(oauth, second['access_token'] ?? '')).status).toBe(401)
})

it('an administrator loses access at once when the token is revoked or the client is disabled', async () => {
  site = await startAdminSite()
  const token = await site.tokenFor('admin:clients:read')

  expect((await site.send({ path: '/clients', token })).status).toBe(200)
  expect((await site.send({ path: '/users', token })).status).toBe(403)
  await site.send({ method: 'POST', path: '/clients/ADM/disable' })
  expect((await site.send({ path: '/clients', token })).json).toMatchObject({
    status: 401,
    code: 'credentials_invalid',
  })
  expect((await revoke(site.oauth, token)).status).toBe(200)
})

it('a client and an identity provider registered over HTTP work, and a suspended provider is released', async () => {
  site = await startAdminSite()
  const { storage, issuer, clock } = site.oauth
  const { json } = await site.send({ method: 'POST', path: '/identity-providers', body: { provider_id: 'corp' } })
  const scim = createScimServer({ issuer, storage, clock: clock.now, deprovisioningLimit: { users: 1 } })
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
  const request = (method: string, path: string, body?: object) =>
    scim.handle(
      plainRequest(issuer, {
        method,
        path: `/scim/v2/enterprise-idps/corp${path}`,
        headers: { authorization: `Bearer ${String(json['secret'])}`, 'content-type': 'application/scim+json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  const create = async (userName: string): Promise<string> =>
    (JSON.parse(String((await request('POST', '/Users', { schemas: [core], userName })).body)) as { id: string }).id
  const [one, two] = [await create('one'), await create('two')]
  clock.advance(3600)
  const bearer = await site.tokenFor('admin:write')

  expect((await request('DELETE', `/Users/${one}`)).status).toBe(204)
  expect((await request('DELETE', `/Users/${two}`)).status).toBe(403)
  expect((await site.send({ path: '/identity-providers/corp', token: bearer })).json).toMatchObject({
    deprovisioning: { count: 1, suspended_at: clock.now() },
  })
  expect(
    (await site.send({ method: 'POST', path: '/identity-providers/corp/release-deprovisioning', token: bearer }))
      .status,
  ).toBe(200)
  expect((await request('DELETE', `/Users/${two}`)).status).toBe(204)
})
