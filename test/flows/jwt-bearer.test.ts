import { clientId, type EpochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  api,
  jwtBearerGrant,
  kim,
  okta,
  setActive,
  startAssertionSite,
  type AssertionSite,
  type AssertionSiteOptions,
} from '../support/assertion-site.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { sortedStatuses } from '../support/sorted-statuses.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect } from '../support/token-calls.ts'

async function start(options: AssertionSiteOptions = {}): Promise<AssertionSite> {
  const site = await startAssertionSite(options)
  onTestFinished(() => site.close())
  // The client that introspects serves the API.
  await changeClient(site.storage, clientId('RS'), { servedAudiences: [api] })
  return site
}

const isActive = async (site: AssertionSite, token: unknown): Promise<unknown> =>
  (await introspect(site, String(token), 'RS')).json['active']

describe('JWT bearer grant', () => {
  it('gives an access token for the user whom the host finds by the claims (RFC 7523 §2.1)', async () => {
    const site = await start()

    const reply = await site.present(await site.partnerJwt())

    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ token_type: 'Bearer', scope: 'api.read' })
    expect([reply.json['refresh_token'], reply.json['id_token']]).toEqual([undefined, undefined])
    expect(decodeJwt(String(reply.json['access_token']))).toMatchObject({ sub: 'U1', aud: api, client_id: 'agent' })
    expect(site.events.at(-1)).toMatchObject({
      type: 'tokens.issued',
      grantType: jwtBearerGrant,
      assertion: { issuer: 'https://partner.example', subject: 'partner-7', providerId: undefined },
    })
  })

  it('accepts the URL of the token endpoint as the audience of a JWT that is no ID-JAG (RFC 7523 §3)', async () => {
    const site = await start()

    const reply = await site.present(await site.partnerJwt({ aud: `${site.issuer}/token` }, { typ: 'JWT' }))

    expect(reply.status).toBe(200)
  })

  it('is listed in discovery with the option, and only then (RFC 8414 §2)', async () => {
    const plain = await startServer()
    onTestFinished(() => plain.close())
    const read = async (site: Pick<AssertionSite, 'send'>) =>
      (await site.send({ path: '/.well-known/oauth-authorization-server' })).json

    const [listed, unlisted] = [await read(await start()), await read(plain)]

    expect(listed['grant_types_supported']).toContain(jwtBearerGrant)
    expect(listed['authorization_grant_profiles_supported']).toEqual(['urn:ietf:params:oauth:grant-profile:id-jag'])
    expect(unlisted['grant_types_supported']).not.toContain(jwtBearerGrant)
    expect(unlisted['authorization_grant_profiles_supported']).toBeUndefined()
  })

  it.each([
    ['the server itself', { issuer: 'https://as.test' }, 'the server itself'],
    ['an API that does not exist', { audiences: ['https://none.test'] }, 'https://none.test'],
    ['no keys', { jwks: undefined }, 'either jwks or jwksUri'],
  ])('is refused at start with %s', async (_name, change, message) => {
    const issuer = {
      issuer: 'https://partner.example',
      jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] },
      clients: ['agent'],
      scopes: [],
      audiences: [api],
      findUser: () => undefined,
      ...change,
    }

    await expect(
      startServer({ resources: { [api]: { scopes: [] } }, jwtBearer: { issuers: [issuer as never] } }),
    ).rejects.toThrow(message)
  })
})

describe('ID-JAG of a directory', () => {
  it('gives an access token for the user with this externalId, with the scope values that all permit (ID-JAG §4.4)', async () => {
    const site = await start()

    const reply = await site.present(await site.idJag({ auth_time: 1_789_999_000, acr: 'mfa' }))

    expect(reply.json).toMatchObject({ token_type: 'Bearer', scope: 'api.read' })
    expect(reply.json['refresh_token']).toBeUndefined()
    const claims = decodeJwt(String(reply.json['access_token']))
    expect(claims).toMatchObject({ sub: kim, aud: api, scope: 'api.read', auth_time: 1_789_999_000 })
    expect(claims['acr']).toBeUndefined()
    expect(site.events.at(-1)).toMatchObject({
      type: 'tokens.issued',
      assertion: { issuer: okta, providerId: 'acme', subject: 'okta-kim' },
    })
  })

  it('is for the part that the request asks for (RFC 6749 §3.3, RFC 8707 §2)', async () => {
    const site = await start({ access: { scopes: ['api.read', 'api.write'] } })
    const both = await site.idJag({ resource: [api, 'https://other.test'] })

    const reply = await site.present(both, { scope: 'api.read', resource: 'https://other.test' })

    expect(reply.json['scope']).toBe('api.read')
    expect(decodeJwt(String(reply.json['access_token'])).aud).toBe('https://other.test')
  })

  it('gives no scope value if it names none (ID-JAG §3.1)', async () => {
    const site = await start()

    const reply = await site.present(await site.idJag({ scope: undefined }))

    expect([reply.status, reply.json['scope']]).toEqual([200, undefined])
  })

  it('accepts a list with one audience, and its typ in upper case (ID-JAG §4.4.1)', async () => {
    const site = await start()

    const reply = await site.present(await site.idJag({ aud: [site.issuer] }, { typ: 'OAUTH-ID-JAG+JWT' }))

    expect(reply.status).toBe(200)
  })

  it('finds the user by aud_sub if the connection says so (ID-JAG §3.1)', async () => {
    const site = await start({ access: { subject: 'aud_sub' } })

    const own = await site.present(await site.idJag({ aud_sub: kim }))
    const other = await site.present(await site.idJag({ aud_sub: 'lee' }))

    expect(decodeJwt(String(own.json['access_token'])).sub).toBe(kim)
    expect([other.status, site.lastReason()]).toEqual([400, 'assertion_subject_unknown'])
  })

  it('binds the token to the key of the proof, which must be the key of the ID-JAG (ID-JAG §9.8.1)', async () => {
    const site = await start()
    const [key, other] = [await createProofKey(), await createProofKey()]
    const bound = await site.idJag({ cnf: { jkt: key.jkt } })
    const presentWith = async (proof: typeof key) => site.present(bound, {}, { dpop: await writeProof(site, proof) })

    const [wrong, right] = [await presentWith(other), await presentWith(key)]

    expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_grant'])
    expect(right.json['token_type']).toBe('DPoP')
    expect(decodeJwt(String(right.json['access_token']))['cnf']).toEqual({ jkt: key.jkt })
  })

  it('can be presented again until it expires, ten times a minute (ID-JAG §4.4.3)', async () => {
    const site = await start()
    const assertion = await site.idJag()

    const replies = await Promise.all(Array.from({ length: 12 }, () => site.present(assertion)))
    site.clock.advance(61)
    const later = await site.present(assertion)
    site.clock.advance(300)
    const expired = await site.present(assertion)

    expect(sortedStatuses(replies)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])
    expect([later.status, expired.status, site.lastReason()]).toEqual([200, 400, 'assertion_expired'])
  })

  it('is accepted once if the connection says so (RFC 7523 §3)', async () => {
    const site = await start({ access: { reuse: 'once' } })
    const assertion = await site.idJag()

    const replies = await Promise.all(Array.from({ length: 4 }, () => site.present(assertion)))

    expect(sortedStatuses(replies)).toEqual([200, 400, 400, 400])
    expect(site.lastReason()).toBe('assertion_replayed')
  })

  it('is refused, and its tokens end, once the directory has deactivated the user', async () => {
    const site = await start()
    const assertion = await site.idJag()
    const token = (await site.present(assertion)).json['access_token']
    const before = await isActive(site, token)

    await setActive(site, false)

    expect([before, await isActive(site, token)]).toEqual([true, false])
    const refused = await site.present(assertion)
    expect([refused.status, refused.json['error'], site.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'assertion_subject_inactive',
    ])
    await setActive(site, true)
    expect(await isActive(site, token)).toBe(false)
    expect((await site.present(assertion)).status).toBe(200)
  })

  it('is no consent of the user, and leaves consent as it is (OIDC Core §3.1.2.4)', async () => {
    const site = await start()
    const read = () => site.storage.grants.findUnrevoked(userId(kim), clientId('agent'))

    await site.present(await site.idJag())
    const created = await read()
    if (created === undefined) throw new Error('There is no grant.')
    const consented = { scopes: ['api.write'], resources: [api], authorizationDetails: [], clientDigest: undefined }
    await site.storage.grants.replaceConsent({ grantId: created.grantId, version: created.version, ...consented })
    await site.present(await site.idJag())

    expect([created.scopes, created.resources]).toEqual([[], []])
    expect(await read()).toMatchObject({ grantId: created.grantId, ...consented })
  })

  it('is refused if its directory is disabled, or has no cross-app access', async () => {
    const [site, plain] = [await start(), await start({ access: 'none' })]
    const found = await site.storage.identityProviders.find(providerId('acme'))
    if (found === undefined) throw new Error('There is no provider.')
    await site.storage.identityProviders.compareAndSwap({ ...found, disabledAt: site.clock.now() }, found.version)

    const disabled = await site.present(await site.idJag())
    const unknown = await plain.present(await plain.idJag())

    expect([disabled.status, site.lastReason()]).toEqual([400, 'assertion_issuer_disabled'])
    expect([unknown.status, plain.lastReason()]).toEqual([400, 'assertion_issuer_unknown'])
  })

  it.each([
    ['is disabled', (now: EpochSeconds) => ({ disabledAt: now })],
    ['is no longer trusted', () => ({ assertions: undefined })],
  ])('gives tokens that are not active while its directory %s (RFC 7521 §5.2)', async (_how, change) => {
    const site = await start()
    const token = String((await site.present(await site.idJag())).json['access_token'])
    const before = await isActive(site, token)
    const found = await site.storage.identityProviders.find(providerId('acme'))
    if (found === undefined) throw new Error('There is no provider.')

    const changed = { ...found, ...change(site.clock.now()) }
    await site.storage.identityProviders.compareAndSwap(changed, found.version)

    expect([before, await isActive(site, token)]).toEqual([true, false])
  })

  it('is refused if two directories have its issuer and its tenant, and accepted if the tenants differ (ID-JAG §6.1)', async () => {
    const site = await start({ access: { tenant: 'one' } })
    const found = await site.storage.identityProviders.find(providerId('acme'))
    const assertions = found?.assertions
    const access = assertions?.crossAppAccess
    if (found === undefined || assertions === undefined || access === undefined) throw new Error('No provider.')
    const add = (id: string, tenant: string) =>
      site.storage.identityProviders.insert({
        ...found,
        providerId: providerId(id),
        assertions: { ...assertions, crossAppAccess: { ...access, tenant } },
      })

    await add('other', 'two')
    const [own, without] = [await site.idJag({ tenant: 'one' }), await site.idJag()]
    const accepted = await site.present(own)
    const unnamed = await site.present(without)
    const unnamedReason = site.lastReason()
    await add('twin', 'one')
    const ambiguous = await site.present(own)

    expect([accepted.status, unnamed.status, unnamedReason]).toEqual([200, 400, 'assertion_issuer_unknown'])
    expect([ambiguous.status, site.lastReason()]).toEqual([400, 'assertion_issuer_ambiguous'])
  })
})
