import { updateClient } from '@mintmark/core'
import { clientId, grantId, userId } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { authorize, basic, encode, obtainCode, obtainTokens, postForm, redeem, signedInAs } from '../support/flow.ts'
import { grantScopes, manageGrant, managementToken, startGrantServer } from '../support/grant-management.ts'
import { refused, refusedByRedirect } from '../support/refused.ts'
import type { Reply } from '../support/reply.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { introspect } from '../support/token-calls.ts'

const methods = ['GET', 'DELETE'] as const

/** Returns the grant of U1 for A, with an active access token that was issued under it. */
async function createGrant(under: ServerUnderTest) {
  const { grant_id: grant = '', access_token: accessToken = '' } = await obtainTokens(under)
  return { grant, accessToken }
}

/** Returns the token response for a grant of U1 for the public client P. */
async function tokensOfP(under: ServerUnderTest): Promise<Reply> {
  const client = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }
  const code = await obtainCode(under, { ...client, scope: `openid ${grantScopes}` })
  return redeem(under, code, client, { authorization: '' })
}

describe('a grant', () => {
  it.each(methods)('is unknown to other clients: %s (Grant Management §6.6)', async (method) => {
    const under = await startGrantServer()
    const { grant, accessToken } = await createGrant(under)
    const token = await managementToken(under, 'M')

    const ofOther = await refused(under, {
      send: () => manageGrant(under, { grant, token, method }),
      reason: 'grant_unknown',
      secrets: [grant],
    })
    const ofNobody = await refused(under, {
      send: () => manageGrant(under, { grant: `${grant.slice(0, -1)}_`, token, method }),
      reason: 'grant_unknown',
    })

    expect([ofOther.status, ofOther.json['error']]).toEqual([404, 'invalid_grant_id'])
    expect([ofOther.status, ofOther.text, ofOther.header('www-authenticate')]).toEqual([404, ofNobody.text, undefined])
    expect((await introspect(under, accessToken)).json['active']).toBe(true)
  })

  it.each(methods)('is unknown to a token of another user: %s (Grant Management §6.6)', async (method) => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)
    await under.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: under.clock.now() })
    const { access_token: token = '' } = await obtainTokens(
      under,
      { scope: `openid ${grantScopes}` },
      { cookie: signedInAs(under, 'U4') },
    )

    const reply = await refused(under, {
      send: () => manageGrant(under, { grant, token, method }),
      reason: 'grant_unknown',
    })

    expect(reply.status).toBe(404)
  })

  it.each([
    [
      'was revoked',
      (under: ServerUnderTest, grant: string) => under.storage.grants.revoke(grantId(grant), under.clock.now()),
    ],
    [
      'belongs to a deactivated user',
      (under: ServerUnderTest) => under.storage.users.deactivate(userId('U1'), under.clock.now()),
    ],
  ])('is unknown after it %s (Grant Management §6.6)', async (_case, change) => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)
    const token = await managementToken(under)
    await change(under, grant)

    for (const method of methods) {
      const reply = await refused(under, {
        send: () => manageGrant(under, { grant, token, method }),
        reason: 'grant_unknown',
      })
      expect(reply.status).toBe(404)
    }
  })

  it.each(['a'.repeat(65), 'constructor', '__proto__', 'a%00b', '%F0%9F%98%80'])(
    'is unknown with the unusual identifier %s (Grant Management §6.6)',
    async (grant) => {
      const under = await startGrantServer()
      const token = await managementToken(under)

      const reply = await refused(under, { send: () => manageGrant(under, { grant, token }), reason: 'grant_unknown' })

      expect(reply.status).toBe(404)
    },
  )

  it.each([
    ['GET', 'grant_management_revoke', 'grant_query_not_granted', 'grant_management_query'],
    ['DELETE', 'grant_management_query', 'grant_revocation_not_granted', 'grant_management_revoke'],
  ] as const)(
    'is refused to %s with only the scope %s (Grant Management §6.1)',
    async (method, scope, reason, needed) => {
      const under = await startGrantServer()
      const { grant } = await createGrant(under)
      const token = await managementToken(under, 'A', { scope })

      const reply = await refused(under, { send: () => manageGrant(under, { grant, token, method }), reason })

      expect([reply.status, reply.json['error']]).toEqual([403, 'insufficient_scope'])
      expect(reply.header('www-authenticate')).toMatch(
        new RegExp(`^Bearer realm="grants", error="insufficient_scope", .*scope="${needed}"$`),
      )
    },
  )

  it('is refused when the client is no longer registered for the scope (RFC 6749 §3.3)', async () => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)
    const token = await managementToken(under)
    await updateClient(
      { clientId: 'A' },
      { scopes: ['openid', 'profile', 'offline_access'] },
      { storage: under.storage },
    )

    const reply = await refused(under, {
      send: () => manageGrant(under, { grant, token, method: 'DELETE' }),
      reason: 'grant_revocation_not_granted',
    })

    expect(reply.status).toBe(403)
  })

  it('is refused to a token for another audience (RFC 9068 §4)', async () => {
    const under = await startGrantServer({ defaultAudience: 'https://default.test' })
    const { grant } = await createGrant(under)
    const token = await managementToken(under, 'A', { scope: `api.read ${grantScopes}` })

    const reply = await refused(under, {
      send: () => manageGrant(under, { grant, token, method: 'DELETE' }),
      reason: 'access_token_audience',
    })

    expect(reply.status).toBe(401)
    expect((await manageGrant(under, { grant, token: await managementToken(under) })).status).toBe(200)
  })

  it('is refused to public clients, which cannot authenticate (Grant Management §5.1)', async () => {
    const under = await startGrantServer()
    const { json } = await tokensOfP(under)

    const reply = await refused(under, {
      send: () => manageGrant(under, { grant: String(json['grant_id']), token: String(json['access_token']) }),
      reason: 'client_public',
    })

    expect([reply.status, reply.json['error']]).toEqual([403, 'access_denied'])
  })

  it.each([
    ['no token', {}, 'bearer_missing'],
    ['a forged token', { authorization: 'Bearer x' }, 'access_token_invalid'],
  ] as const)('is refused to a request with %s (RFC 6750 §3.1)', async (_case, headers, reason) => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)

    const reply = await refused(under, {
      send: () => under.send({ method: 'DELETE', path: `/grants/${grant}`, headers }),
      reason,
    })

    expect([reply.status, reply.header('www-authenticate')?.startsWith('Bearer realm="grants"')]).toEqual([401, true])
  })

  it('is refused to a revoked token (RFC 6750 §3.1)', async () => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)
    const token = await managementToken(under)
    await postForm(under, '/token/revocation', encode({ token }), { authorization: basic('A', under.clients.A.secret) })

    const reply = await refused(under, {
      send: () => manageGrant(under, { grant, token, method: 'DELETE' }),
      reason: 'access_token_inactive',
    })

    expect(reply.status).toBe(401)
  })

  it('is refused to a bound token without a proof, with a proof for another grant and with a used proof (RFC 9449 §7.1, §7.2)', async () => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)
    const key = await createProofKey()
    const issued = await postForm(under, '/token', encode({ grant_type: 'client_credentials', scope: grantScopes }), {
      authorization: basic('A', under.clients.A.secret),
      dpop: await writeProof(under, key),
    })
    const token = String(issued.json['access_token'])

    const asBearer = await refused(under, {
      send: () => manageGrant(under, { grant, token }),
      reason: 'access_token_bound',
    })
    const { sent } = await manageGrant(under, { grant: 'other', token, key })
    const elsewhere = await refused(under, {
      send: () => under.send({ method: 'GET', path: `/grants/${grant}`, headers: sent.headers ?? {} }),
      reason: 'dpop_target',
    })
    const again = await refused(under, { send: () => under.send(sent), reason: 'dpop_replayed' })

    expect([asBearer.status, elsewhere.status, again.status]).toEqual([401, 401, 401])
  })

  it('is not created, merged or replaced by an authorization request (Grant Management §5.2)', async () => {
    const under = await startGrantServer()
    const { grant } = await createGrant(under)

    for (const change of [
      { grant_management_action: 'create' },
      { grant_id: grant },
      { grant_management_action: 'merge', grant_id: grant },
    ]) {
      await refusedByRedirect(
        under,
        { error: 'invalid_request' },
        { send: () => authorize(under, change), reason: 'grant_action_unsupported' },
      )
    }
  })

  it('is revoked for good when its refresh tokens are used at the same time', async () => {
    const under = await startGrantServer()
    const token = await managementToken(under)
    const tokens = await Promise.all([1, 2, 3].map(() => obtainTokens(under)))
    const { grant_id: grant = '' } = tokens[0] ?? {}

    const use = (refreshToken = '') =>
      postForm(under, '/token', encode({ grant_type: 'refresh_token', refresh_token: refreshToken }), {
        authorization: basic('A', under.clients.A.secret),
      })
    const [first, second, third] = tokens
    const replies = await Promise.all([
      use(first?.['refresh_token']),
      manageGrant(under, { grant, token, method: 'DELETE' }),
      use(second?.['refresh_token']),
      manageGrant(under, { grant, token, method: 'DELETE' }),
      use(third?.['refresh_token']),
    ])

    const issued = replies.flatMap((reply) => (reply.text === '' ? [] : (reply.json['access_token'] ?? [])))
    const statuses = await Promise.all(issued.map((accessToken) => introspect(under, accessToken as string)))
    expect(statuses.filter(({ json }) => json['active'] !== false)).toEqual([])
    expect(await under.storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeUndefined()
  })
})
