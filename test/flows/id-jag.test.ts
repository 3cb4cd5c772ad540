import { updateClient } from '@mintmark/core'
import { clientId, type ClientRecord, userId } from '@mintmark/storage-interface'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { exchangeGrant } from '../support/exchange-site.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import type { Change } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postAs, refresh, tokensFor } from '../support/token-calls.ts'

const chat = 'https://chat.example'
const chatApi = 'https://api.chat.example/'
const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const idToken = 'urn:ietf:params:oauth:token-type:id_token'
const refreshToken = 'urn:ietf:params:oauth:token-type:refresh_token'
const rule = { client_id: 'app-at-chat', scopes: ['chat.read', 'chat.write'], resources: [chatApi] }

interface Site extends ServerUnderTest {
  /** Asks for an ID-JAG as client A. */
  ask(change: Change, headers?: Readonly<Record<string, string>>): Promise<Reply>
}

async function start(audiences: ClientRecord['crossAppAudiences'] = { [chat]: rule }): Promise<Site> {
  const site = await startServer({ crossAppAccess: { issues: true } })
  onTestFinished(() => site.close())
  for (const id of ['A', 'P'])
    await changeClient(site.storage, clientId(id), {
      grantTypes: ['authorization_code', 'refresh_token', exchangeGrant],
      crossAppAudiences: audiences,
    })
  return {
    ...site,
    ask: (change, headers = {}) =>
      postAs(site, 'A', {
        path: '/token',
        form: { grant_type: exchangeGrant, requested_token_type: idJag, audience: chat, ...change },
        headers,
      }),
  }
}

const signIn = async (site: Site, scope = 'openid', change: Change = {}) => tokensFor(site, 'A', { scope, ...change })

const withIdToken = (token: string | undefined): Change => ({ subject_token: token, subject_token_type: idToken })

describe('an ID-JAG for another authorization server', () => {
  it('names the user, the client there, and what an administrator has permitted (ID-JAG §3.1, §4.3.4)', async () => {
    const site = await start()
    const { id_token: token } = await signIn(site)

    const reply = await site.ask(withIdToken(token))

    const { access_token: issued, ...others } = reply.json
    expect(others).toEqual({
      issued_token_type: idJag,
      token_type: 'N_A',
      expires_in: 300,
      scope: 'chat.read chat.write',
    })
    const jwks = (await site.send({ path: '/jwks' })).json as unknown as JSONWebKeySet
    const now = site.clock.now()
    const { payload } = await jwtVerify(String(issued), createLocalJWKSet(jwks), {
      typ: 'oauth-id-jag+jwt',
      issuer: site.issuer,
      audience: chat,
      currentDate: new Date(now * 1000),
    })
    expect(payload).toEqual({
      iss: site.issuer,
      sub: 'U1',
      aud: chat,
      client_id: 'app-at-chat',
      scope: 'chat.read chat.write',
      resource: chatApi,
      auth_time: decodeJwt(token ?? '')['auth_time'],
      amr: decodeJwt(token ?? '')['amr'],
      jti: payload.jti,
      iat: now,
      exp: now + 300,
    })
    expect(site.events.at(-1)).toMatchObject({
      type: 'assertion.issued',
      clientId: 'A',
      subject: 'U1',
      audience: chat,
      tokenId: payload.jti,
    })
  })

  it('has the requested part, and its audience may be written with a slash (RFC 3986 §6.2.3)', async () => {
    const site = await start()
    const { id_token: token } = await signIn(site)

    const reply = await site.ask({ ...withIdToken(token), audience: `${chat}/`, scope: 'chat.read', resource: chatApi })

    expect(decodeJwt(String(reply.json['access_token']))).toMatchObject({ aud: chat, scope: 'chat.read' })
  })

  it('is issued for a refresh token, which stays valid (ID-JAG §4.3.2)', async () => {
    const site = await start()
    const { refresh_token: token } = await signIn(site, 'openid offline_access')

    const replies = [
      await site.ask({ subject_token: token, subject_token_type: refreshToken }),
      await site.ask({ subject_token: token, subject_token_type: refreshToken }),
      await refresh(site, token),
    ]

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('ends the family of a refresh token that was replaced before (RFC 9700 §4.14.2)', async () => {
    const site = await start()
    const { refresh_token: token } = await signIn(site, 'openid offline_access')
    const successor = (await refresh(site, token)).json['refresh_token']
    site.clock.advance(60)

    const reply = await site.ask({ subject_token: token, subject_token_type: refreshToken })

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
      400,
      'invalid_grant',
      'refresh_token_reused',
    ])
    expect((await refresh(site, String(successor))).status).toBe(400)
  })

  it('is bound to the key of a DPoP proof (ID-JAG §9.8.1.1)', async () => {
    const site = await start()
    const { id_token: token } = await signIn(site)
    const key = await createProofKey()

    const reply = await site.ask(withIdToken(token), { dpop: await writeProof(site, key) })

    expect(reply.json['token_type']).toBe('N_A')
    expect(decodeJwt(String(reply.json['access_token']))['cnf']).toEqual({ jkt: key.jkt })
  })

  it('is listed in discovery with the option (ID-JAG §7.1)', async () => {
    const site = await start()

    const { json } = await site.send({ path: '/.well-known/oauth-authorization-server' })

    expect(json['identity_chaining_requested_token_types_supported']).toEqual([idJag])
    expect(json['authorization_grant_profiles_supported']).toBeUndefined()
  })

  it('names the user as the other server knows them from sign-in (ID-JAG §5)', async () => {
    const site = await start({ [chat]: { ...rule, subject_client: 'B' } })
    await changeClient(site.storage, clientId('B'), { subjectType: 'pairwise' })
    const { id_token: token } = await signIn(site)

    const [first, second] = [await site.ask(withIdToken(token)), await site.ask(withIdToken(token))]

    const subjects = [first, second].map(({ json }) => decodeJwt(String(json['access_token'])).sub)
    expect(subjects[0]).toBe(subjects[1])
    expect(subjects[0]).not.toBe('U1')
  })
})

describe('an ID-JAG is refused', () => {
  const refused: readonly (readonly [string, Change, string, Parameters<typeof expectJsonRefusal>[2]['reason']])[] = [
    ['another server', { audience: 'https://other.example' }, 'invalid_target', 'exchange_target'],
    ['this server', { audience: 'https://as.test/' }, 'invalid_target', 'exchange_target'],
    ['no server', { audience: undefined }, 'invalid_target', 'exchange_target'],
    ['another API', { resource: 'https://other.example' }, 'invalid_target', 'exchange_target'],
    ['other scope values', { scope: 'admin' }, 'invalid_scope', 'scope_not_allowed'],
    ['authorization details', { authorization_details: '[]' }, 'invalid_request', 'exchange_unsupported'],
    ['an actor', { actor_token: 'x', actor_token_type: idToken }, 'invalid_request', 'actor_token_invalid'],
  ]
  it.each(refused)('for %s (ID-JAG §4.3.3)', async (_what, change, error, reason) => {
    const site = await start({ [chat]: rule, 'https://as.test': rule })
    const { id_token: token } = await signIn(site)

    await expectJsonRefusal(
      site,
      { status: 400, error },
      { send: () => site.ask({ ...withIdToken(token), ...change }), reason },
    )
  })

  it('for a client that no administrator has permitted anything (ID-JAG §4.3.3)', async () => {
    const site = await start({})
    const { id_token: token } = await signIn(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => site.ask(withIdToken(token)), reason: 'exchange_not_permitted' },
    )
  })

  it('for an access token, an ID token of another client, an expired one, and text (RFC 8693 §2.2.2)', async () => {
    const site = await start()
    const { id_token: token, access_token: accessToken } = await signIn(site)
    const { id_token: foreign } = await tokensFor(site, 'X', { scope: 'openid' })
    const ask = (change: Change) =>
      expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_request' },
        { send: () => site.ask(change), reason: 'subject_token_invalid' },
      )

    await ask({ subject_token: accessToken, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' })
    await ask(withIdToken(accessToken))
    await ask(withIdToken(foreign))
    await ask(withIdToken('x'))
    await ask(withIdToken(undefined))
    site.clock.advance(3601)
    expect((await site.ask(withIdToken(token))).status).toBe(400)
    expect(site.lastReason()).toBe('subject_token_invalid')
  })

  it.each([
    ['deactivated', (site: Site) => site.storage.users.deactivate(userId('U1'), site.clock.now())],
    ['signed out everywhere', (site: Site) => site.storage.users.revokeAccess(userId('U1'), site.clock.now())],
    [
      'disconnected from the client',
      async ({ storage, clock }: Site) => {
        const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
        if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
      },
    ],
    [
      'signed out of the session',
      async ({ storage, clock }: Site) => {
        await storage.sessions.revokeOfUser(userId('U1'), 'administrator', clock.now())
      },
    ],
  ] as const)('for the tokens of a user who was %s since (ID-JAG §4.3.3)', async (_what, end) => {
    const site = await start()
    const { id_token: token, refresh_token: renewing } = await signIn(site, 'openid offline_access')
    await end(site)

    const ofIdToken = await site.ask(withIdToken(token))
    const reason = site.lastReason()
    const ofRefreshToken = await site.ask({ subject_token: renewing, subject_token_type: refreshToken })

    expect([ofIdToken.status, reason]).toEqual([400, 'subject_token_invalid'])
    // A refresh token with `offline_access` outlives the session (OIDC Back-Channel Logout 1.0 §2.7).
    expect(ofRefreshToken.status).toBe(_what === 'signed out of the session' ? 200 : 400)
  })

  it('by a server without the option (RFC 8693 §2.2.2)', async () => {
    const site = await startServer()
    onTestFinished(() => site.close())
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code', exchangeGrant] })

    const reply = await postAs(site, 'A', {
      path: '/token',
      form: { grant_type: exchangeGrant, requested_token_type: idJag, audience: chat },
    })

    expect([reply.status, reply.json['error']]).toEqual([400, 'unsupported_grant_type'])
  })
})

describe('the registration of a client for ID-JAGs', () => {
  it.each([
    ['a rule without scope values', { [chat]: { client_id: 'x' } }],
    ['an unknown member', { [chat]: { ...rule, scope: 'x' } }],
    ['an issuer that is no URL', { chat: rule }],
    ['a resource that is no text', { [chat]: { ...rule, resources: [7] } }],
  ])('is refused with %s', async (_what, crossAppAudiences) => {
    const site = await startServer()
    onTestFinished(() => site.close())

    await expect(updateClient({ clientId: 'A' }, { crossAppAudiences }, { storage: site.storage })).rejects.toThrow(
      'cross_app_audiences',
    )
  })

  it('is refused for a public client, and without subject_client for one with pairwise subjects (OIDC Core §8.1)', async () => {
    const site = await startServer()
    onTestFinished(() => site.close())
    const change = (id: string, more: object) =>
      updateClient({ clientId: id }, { crossAppAudiences: { [chat]: rule }, ...more }, { storage: site.storage })

    await expect(change('P', {})).rejects.toThrow('authenticate')
    await expect(change('A', { subjectType: 'pairwise' })).rejects.toThrow('subject_client')
  })
})
