import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { answerInteraction, basic, encode, obtainCode, obtainTokens, postForm, redeem } from '../support/flow.ts'
import { grantScopes, manageGrant, managementToken, startGrantServer } from '../support/grant-management.ts'
import { authorizeDetails } from '../support/payment-details.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect, refresh } from '../support/token-calls.ts'

describe('grant management', () => {
  it('returns the identifier of the grant with all tokens of a user (Grant Management §5.5)', async () => {
    const site = await startGrantServer()

    const tokens = await obtainTokens(site)
    const refreshed = await refresh(site, tokens['refresh_token'] ?? '')
    const own = await postForm(site, '/token', encode({ grant_type: 'client_credentials', scope: grantScopes }), {
      authorization: basic('A', site.clients.A.secret),
    })

    expect(tokens['grant_id']).toBe(decodeJwt(tokens['access_token'] ?? '')['grant'])
    expect(refreshed.json['grant_id']).toBe(tokens['grant_id'])
    expect(own.json).not.toHaveProperty('grant_id')
  })

  it('returns the scopes, claims and details that the user has granted, for each API (Grant Management §6.4)', async () => {
    const site = await startGrantServer()
    const { grant_id: grant = '' } = await obtainTokens(site, {
      scope: 'openid email offline_access api.read',
      resource: 'https://api.test',
    })
    const started = await authorizeDetails(site, [{ type: 'reading', account: 'savings' }])
    await answerInteraction(site, started, 'scope=openid&scope=profile&scope=offline_access&detail=0')

    const reply = await manageGrant(site, { grant, token: await managementToken(site) })

    expect([reply.status, reply.header('cache-control')]).toEqual([200, 'no-store'])
    expect(reply.json).toEqual({
      scopes: [{ scope: 'api.read', resource: ['https://api.test'] }, { scope: 'openid email offline_access' }],
      claims: ['email', 'email_verified'],
      authorization_details: [{ type: 'reading', account: 'savings' }],
    })
    expect(site.events.at(-1)).toMatchObject({ type: 'grant.queried', clientId: 'A', userId: 'U1', grantId: grant })
  })

  it('revokes the grant with all of its tokens, and later tokens have a new grant (Grant Management §6.5)', async () => {
    const site = await startGrantServer()
    const tokens = await obtainTokens(site)
    const { grant_id: grant = '', access_token: accessToken = '', refresh_token: refreshToken = '' } = tokens

    const reply = await manageGrant(site, { grant, token: await managementToken(site), method: 'DELETE' })

    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(site.events.at(-1)).toMatchObject({ type: 'grant.revoked', clientId: 'A', userId: 'U1', grantId: grant })
    expect((await introspect(site, accessToken)).json).toEqual({ active: false })
    expect((await refresh(site, refreshToken)).json['error']).toBe('invalid_grant')
    expect((await obtainTokens(site))['grant_id']).not.toBe(grant)
  })

  it('revokes codes that were issued under the grant', async () => {
    const site = await startGrantServer()
    const { grant_id: grant = '' } = await obtainTokens(site)
    const code = await obtainCode(site)

    await manageGrant(site, { grant, token: await managementToken(site), method: 'DELETE' })

    expect((await redeem(site, code)).json['error']).toBe('invalid_grant')
  })

  it('accepts an access token of the user who gave the grant', async () => {
    const site = await startGrantServer()
    const scope = `openid ${grantScopes}`
    const { grant_id: grant = '', access_token: token = '' } = await obtainTokens(site, { scope })

    const reply = await manageGrant(site, { grant, token })

    expect([reply.status, reply.json['scopes']]).toEqual([200, [{ scope }]])
  })

  it('accepts a bound token with a proof for the URL of the grant (RFC 9449 §7.1)', async () => {
    const site = await startGrantServer()
    const { grant_id: grant = '' } = await obtainTokens(site)
    const key = await createProofKey()
    const reply = await postForm(site, '/token', encode({ grant_type: 'client_credentials', scope: grantScopes }), {
      authorization: basic('A', site.clients.A.secret),
      dpop: await writeProof(site, key),
    })
    const token = String(reply.json['access_token'])

    const query = await manageGrant(site, { grant, token, key })
    const revocation = await manageGrant(site, { grant, token, key, method: 'DELETE' })

    expect([query.status, revocation.status]).toEqual([200, 204])
  })

  it('is listed in discovery (Grant Management §7.1)', async () => {
    const site = await startGrantServer()

    const { json } = await site.send({ path: '/.well-known/oauth-authorization-server' })

    expect(json).toMatchObject({
      grant_management_endpoint: 'https://as.test/grants',
      grant_management_actions_supported: ['query', 'revoke'],
    })
    expect(json['scopes_supported']).toEqual(expect.arrayContaining(grantScopes.split(' ')))
  })

  it('does not exist unless it is turned on', async () => {
    const site = await startServer()
    try {
      const tokens = await obtainTokens(site, { grant_management_action: 'create' })
      const reply = await site.send({
        path: '/grants/any',
        headers: { authorization: `Bearer ${tokens['access_token']}` },
      })
      const { json } = await site.send({ path: '/.well-known/oauth-authorization-server' })

      expect(reply.status).toBe(404)
      expect(tokens).not.toHaveProperty('grant_id')
      expect(Object.keys(json).filter((name) => name.startsWith('grant_management'))).toEqual([])
    } finally {
      await site.close()
    }
  })
})
