import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { registerIdentityProvider } from '@mintmark/scim'
import { userId } from '@mintmark/storage-interface'
import { authorize, redeem, signedInAs } from '../support/flow.ts'
import { allAccepted, allRefused, codeOf, signIn, useEveryToken } from '../support/scim-user.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { refresh } from '../support/token-calls.ts'

const okta = 'https://acme.okta.com'
let site: ScimSite
let secret: string
let privateKey: CryptoKey
let jwks: { readonly keys: JWK[] }
let count = 0

beforeAll(async () => {
  site = await startScimSite({ universalLogout: {} })
  const keys = await generateKeyPair('RS256')
  privateKey = keys.privateKey
  jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1' }] }
  const { storage, oauth } = site
  const acme = await registerIdentityProvider(
    { providerId: 'acme', assertions: { issuer: okta, jwks } },
    { storage, clock: oauth.clock.now },
  )
  secret = acme.secret
})
afterAll(() => site.close())

/** Provisions a user through a directory. */
async function provision(provider = 'acme', password = secret): Promise<string> {
  const externalId = `okta-${(count += 1)}`
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  const headers = { authorization: `Bearer ${password}` }
  const body = { schemas, userName: `${externalId}@acme.example`, externalId }
  return String((await site.send({ method: 'POST', path: '/Users', provider, headers, body })).json['id'])
}

async function signOut(sub: string, provider = 'acme', claims: JWTPayload = {}) {
  const { issuer, clock } = site.oauth
  const token = await new SignJWT({
    iss: okta,
    aud: `${issuer}/scim/v2/enterprise-idps/${provider}/global-token-revocation`,
    jti: `jti-${(count += 1)}`,
    exp: clock.now() + 300,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .sign(privateKey)
  return site.send({
    method: 'POST',
    path: '/global-token-revocation',
    provider,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: { subject: { format: 'iss_sub', iss: issuer, sub } },
  })
}

describe('Universal Logout revokes everything in the same request', () => {
  it('rejects every token and code from before, and accepts those from a new sign-in', async () => {
    const id = await provision()
    const tokens = await signIn(site, id)
    const code = await codeOf(site, id)

    expect((await signOut(id)).status).toBe(204)

    expect(await useEveryToken(site, tokens)).toEqual(allRefused)
    const redeemed = await redeem(site.oauth, code)
    expect([redeemed.status, redeemed.json['error']]).toEqual([400, 'invalid_grant'])
    expect(await useEveryToken(site, await signIn(site, id))).toEqual(allAccepted)
  })

  it('asks for consent again, because the consent is revoked too', async () => {
    const id = await provision()
    await signIn(site, id)

    await signOut(id)

    const reply = await authorize(site.oauth, { prompt: 'none' }, { cookie: signedInAs(site.oauth, id) })
    expect(reply.location.searchParams.get('code')).toBeNull()
  })

  it('does not touch another user of the provider', async () => {
    const [one, two] = [await provision(), await provision()]
    const tokens = await signIn(site, two)

    await signOut(one)

    expect(await useEveryToken(site, tokens)).toEqual(allAccepted)
  })

  it('leaves no usable token when it races with refreshes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await provision()
      const { refresh_token: before } = await signIn(site, id)

      const [refreshed] = await Promise.all([refresh(site.oauth, before), signOut(id)])

      const after = refreshed.status === 200 ? String(refreshed.json['refresh_token']) : before
      expect((await refresh(site.oauth, after)).json['error']).toBe('invalid_grant')
    }
  })
})

describe('a provider whose tenants share one issuer', () => {
  it.each([
    ['refuses', 'another tenant', {}, { tenant: 'evil' }, 401],
    ['refuses', 'no tenant', {}, {}, 401],
    ['accepts', 'its tenant', {}, { tenant: 'acme' }, 204],
    ['accepts', 'its client', { revocationSubject: 'c1' }, { sub: 'c1' }, 204],
    ['refuses', 'another client', { revocationSubject: 'c1' }, { sub: 'c2', tenant: 'acme' }, 401],
  ])('%s a token of %s (ID-JAG §6.1)', async (_, __, trust, claims, status) => {
    const { storage, oauth } = site
    const provider = `shared-${(count += 1)}`
    const crossAppAccess = { tenant: 'acme', clientIds: ['A'], scopes: [], resources: [] }
    const registered = await registerIdentityProvider(
      { providerId: provider, assertions: { issuer: okta, jwks, crossAppAccess, ...trust } },
      { storage, clock: oauth.clock.now },
    )
    const id = await provision(provider, registered.secret)

    expect((await signOut(id, provider, claims)).status).toBe(status)

    expect((await storage.users.find(userId(id)))?.generation).toBe(status === 204 ? 1 : 0)
  })
})
