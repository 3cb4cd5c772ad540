import { updateClient } from '@mintmark/core'
import { clientId, grantId, userId } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { authorize, basic, encode, obtainCode, obtainTokens, postForm, redeem, signedInAs } from '../support/flow.ts'
import { grantScopes, manageGrant, managementToken, startGrantServer } from '../support/grant-management.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { expectRefusal, expectErrorRedirect } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { introspect } from '../support/token-calls.ts'

const methods = ['GET', 'DELETE'] as const

/** Returns the grant of U1 for A, with an active access token that was issued under it. */
async function createGrant(site: ServerUnderTest) {
  const { grant_id: grant = '', access_token: accessToken = '' } = await obtainTokens(site)
  return { grant, accessToken }
}

/** Returns the token response for a grant of U1 for the public client P. */
async function tokensOfP(site: ServerUnderTest): Promise<Reply> {
  const client = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }
  const code = await obtainCode(site, { ...client, scope: `openid ${grantScopes}` })
  return redeem(site, code, client, { authorization: '' })
}

describe('a grant', () => {
  it.each(methods)('is not found with a token of another client: %s (Grant Management §6.6)', async (method) => {
    const site = await startGrantServer()
    const { grant, accessToken } = await createGrant(site)
    const token = await managementToken(site, 'M')

    const ofOther = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token, method }),
      reason: 'grant_unknown',
      secrets: [grant],
    })
    const ofNobody = await expectRefusal(site, {
      send: () => manageGrant(site, { grant: `${grant.slice(0, -1)}_`, token, method }),
      reason: 'grant_unknown',
    })

    expect([ofOther.status, ofOther.json['error']]).toEqual([404, 'invalid_grant_id'])
    expect([ofOther.status, ofOther.text, ofOther.header('www-authenticate')]).toEqual([404, ofNobody.text, undefined])
    expect((await introspect(site, accessToken)).json['active']).toBe(true)
  })

  it.each(methods)('is not found with a token of another user: %s (Grant Management §6.6)', async (method) => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)
    await site.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: site.clock.now() })
    const { access_token: token = '' } = await obtainTokens(
      site,
      { scope: `openid ${grantScopes}` },
      { cookie: signedInAs(site, 'U4') },
    )

    const reply = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token, method }),
      reason: 'grant_unknown',
    })

    expect(reply.status).toBe(404)
  })

  it.each([
    [
      'was revoked',
      (site: ServerUnderTest, grant: string) => site.storage.grants.revoke(grantId(grant), site.clock.now()),
    ],
    [
      'belongs to a deactivated user',
      (site: ServerUnderTest) => site.storage.users.deactivate(userId('U1'), site.clock.now()),
    ],
  ])('is unknown after it %s (Grant Management §6.6)', async (_case, change) => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)
    const token = await managementToken(site)
    await change(site, grant)

    for (const method of methods) {
      const reply = await expectRefusal(site, {
        send: () => manageGrant(site, { grant, token, method }),
        reason: 'grant_unknown',
      })
      expect(reply.status).toBe(404)
    }
  })

  it.each(['a'.repeat(65), 'constructor', '__proto__', 'a%00b', '%F0%9F%98%80'])(
    'is not found by the unusual identifier %s (Grant Management §6.6)',
    async (grant) => {
      const site = await startGrantServer()
      const token = await managementToken(site)

      const reply = await expectRefusal(site, {
        send: () => manageGrant(site, { grant, token }),
        reason: 'grant_unknown',
      })

      expect(reply.status).toBe(404)
    },
  )

  it.each([
    ['GET', 'grant_management_revoke', 'grant_query_not_granted', 'grant_management_query'],
    ['DELETE', 'grant_management_query', 'grant_revocation_not_granted', 'grant_management_revoke'],
  ] as const)(
    'is refused to %s with only the scope %s (Grant Management §6.1)',
    async (method, scope, reason, needed) => {
      const site = await startGrantServer()
      const { grant } = await createGrant(site)
      const token = await managementToken(site, 'A', { scope })

      const reply = await expectRefusal(site, { send: () => manageGrant(site, { grant, token, method }), reason })

      expect([reply.status, reply.json['error']]).toEqual([403, 'insufficient_scope'])
      expect(reply.header('www-authenticate')).toMatch(
        new RegExp(`^Bearer realm="grants", error="insufficient_scope", .*scope="${needed}"$`),
      )
    },
  )

  it('is refused when the client is no longer registered for the scope (RFC 6749 §3.3)', async () => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)
    const token = await managementToken(site)
    await updateClient(
      { clientId: 'A' },
      { scopes: ['openid', 'profile', 'offline_access'] },
      { storage: site.storage },
    )

    const reply = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token, method: 'DELETE' }),
      reason: 'grant_revocation_not_granted',
    })

    expect(reply.status).toBe(403)
  })

  it('cannot be revoked with a token for another audience (RFC 9068 §4)', async () => {
    const site = await startGrantServer({ defaultAudience: 'https://default.test' })
    const { grant } = await createGrant(site)
    const token = await managementToken(site, 'A', { scope: `api.read ${grantScopes}` })

    const reply = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token, method: 'DELETE' }),
      reason: 'access_token_audience',
    })

    expect(reply.status).toBe(401)
    expect((await manageGrant(site, { grant, token: await managementToken(site) })).status).toBe(200)
  })

  it('cannot be read by public clients, which cannot authenticate (Grant Management §5.1)', async () => {
    const site = await startGrantServer()
    const { json } = await tokensOfP(site)

    const reply = await expectRefusal(site, {
      send: () => manageGrant(site, { grant: String(json['grant_id']), token: String(json['access_token']) }),
      reason: 'client_public',
    })

    expect([reply.status, reply.json['error']]).toEqual([403, 'access_denied'])
  })

  it.each([
    ['no token', {}, 'bearer_missing'],
    ['a forged token', { authorization: 'Bearer x' }, 'access_token_invalid'],
  ] as const)('cannot be revoked by a request with %s (RFC 6750 §3.1)', async (_case, headers, reason) => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)

    const reply = await expectRefusal(site, {
      send: () => site.send({ method: 'DELETE', path: `/grants/${grant}`, headers }),
      reason,
    })

    expect([reply.status, reply.header('www-authenticate')?.startsWith('Bearer realm="grants"')]).toEqual([401, true])
  })

  it('cannot be revoked with a revoked token (RFC 6750 §3.1)', async () => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)
    const token = await managementToken(site)
    await postForm(site, '/token/revocation', encode({ token }), { authorization: basic('A', site.clients.A.secret) })

    const reply = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token, method: 'DELETE' }),
      reason: 'access_token_inactive',
    })

    expect(reply.status).toBe(401)
  })

  it.each(methods)(
    'cannot be read or revoked with a token of a disabled client: %s (RFC 6750 §3.1)',
    async (method) => {
      const site = await startGrantServer()
      const { grant } = await createGrant(site)
      const token = await managementToken(site)
      await changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() })

      const reply = await expectRefusal(site, {
        send: () => manageGrant(site, { grant, token, method }),
        reason: 'access_token_inactive',
      })

      expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_token'])
      expect(reply.header('www-authenticate')).toMatch(/^Bearer realm="grants", error="invalid_token"/)
    },
  )

  it('cannot be read with a bound token without a proof, with a proof for another grant or with a used proof (RFC 9449 §7.1, §7.2)', async () => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)
    const key = await createProofKey()
    const issued = await postForm(site, '/token', encode({ grant_type: 'client_credentials', scope: grantScopes }), {
      authorization: basic('A', site.clients.A.secret),
      dpop: await writeProof(site, key),
    })
    const token = String(issued.json['access_token'])

    const asBearer = await expectRefusal(site, {
      send: () => manageGrant(site, { grant, token }),
      reason: 'access_token_bound',
    })
    const { sent } = await manageGrant(site, { grant: 'other', token, key })
    const elsewhere = await expectRefusal(site, {
      send: () => site.send({ method: 'GET', path: `/grants/${grant}`, headers: sent.headers ?? {} }),
      reason: 'dpop_target',
    })
    const again = await expectRefusal(site, { send: () => site.send(sent), reason: 'dpop_replayed' })

    expect([asBearer.status, elsewhere.status, again.status]).toEqual([401, 401, 401])
  })

  it('is not created, merged or replaced by an authorization request (Grant Management §5.2)', async () => {
    const site = await startGrantServer()
    const { grant } = await createGrant(site)

    for (const change of [
      { grant_management_action: 'create' },
      { grant_id: grant },
      { grant_management_action: 'merge', grant_id: grant },
    ]) {
      await expectErrorRedirect(
        site,
        { error: 'invalid_request' },
        { send: () => authorize(site, change), reason: 'grant_action_unsupported' },
      )
    }
  })

  it('is revoked for good when its refresh tokens are used at the same time', async () => {
    const site = await startGrantServer()
    const token = await managementToken(site)
    const tokens = await Promise.all([1, 2, 3].map(() => obtainTokens(site)))
    const { grant_id: grant = '' } = tokens[0] ?? {}

    const use = (refreshToken = '') =>
      postForm(site, '/token', encode({ grant_type: 'refresh_token', refresh_token: refreshToken }), {
        authorization: basic('A', site.clients.A.secret),
      })
    const [first, second, third] = tokens
    const replies = await Promise.all([
      use(first?.['refresh_token']),
      manageGrant(site, { grant, token, method: 'DELETE' }),
      use(second?.['refresh_token']),
      manageGrant(site, { grant, token, method: 'DELETE' }),
      use(third?.['refresh_token']),
    ])

    const issued = replies.flatMap((reply) => (reply.text === '' ? [] : (reply.json['access_token'] ?? [])))
    const statuses = await Promise.all(issued.map((accessToken) => introspect(site, accessToken as string)))
    expect(statuses.filter(({ json }) => json['active'] !== false)).toEqual([])
    expect(await site.storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeUndefined()
  })
})
