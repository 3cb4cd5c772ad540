import { clientId, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  accessTokenType,
  exchange,
  exchangeGrant,
  isActive,
  startExchangeSite,
  userToken,
} from '../support/exchange-site.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import type { Change } from '../support/flow.ts'
import { postAs, revoke, tokensFor } from '../support/token-calls.ts'

const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'
const refreshTokenType = 'urn:ietf:params:oauth:token-type:refresh_token'
const down = 'https://down.test'

async function start(options: Parameters<typeof startExchangeSite>[0]) {
  const site = await startExchangeSite(options)
  onTestFinished(() => site.close())
  const grantTypes = ['authorization_code', 'refresh_token', exchangeGrant]
  await changeClient(site.storage, clientId('A'), { grantTypes })
  return site
}

describe('token exchange: an access token that is called a JWT', () => {
  const jwt = 'urn:ietf:params:oauth:token-type:jwt'

  it('is exchanged like an access token, as Spring Security sends it (RFC 8693 §3)', async () => {
    const site = await start({})

    const reply = await exchange(site, 'agent0', await userToken(site), { subject_token_type: jwt })

    expect([reply.status, reply.json['issued_token_type']]).toEqual([200, accessTokenType])
    expect(decodeJwt(String(reply.json['access_token']))).toMatchObject({ aud: down, act: { sub: 'agent0' } })
  })

  it('must be an access token: an ID token is refused, even if a rule permits ID tokens (RFC 8725 §3.11)', async () => {
    const rules = [
      { clients: ['A'], mode: 'delegation', audiences: [down], subjects: ['access_token', 'id_token'] },
    ] as const
    const site = await start({ rules })
    const { id_token: idToken } = await tokensFor(site, 'A', { scope: 'openid' })
    const form = { grant_type: exchangeGrant, subject_token: idToken, subject_token_type: jwt }

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => postAs(site, 'A', { path: '/token', form }), reason: 'subject_token_invalid' },
    )
  })
})

describe('token exchange: the party that may act', () => {
  const rules = [{ clients: ['agent1'], mode: 'delegation', audiences: [down] }] as const

  it('is named by the token of the user, and exchanges it without serving the API (RFC 8693 §4.4)', async () => {
    const site = await start({ rules, mayAct: { A: 'agent1' } })
    const subject = await userToken(site)

    const reply = await exchange(site, 'agent1', subject)

    expect(decodeJwt(subject)['may_act']).toEqual({ sub: 'agent1', client_id: 'agent1' })
    expect(reply.status).toBe(200)
    const claims = decodeJwt(String(reply.json['access_token']))
    expect(claims).toMatchObject({ sub: 'U1', aud: down, act: { sub: 'agent1' } })
    expect(claims['may_act']).toBeUndefined()
  })

  it('is the only one: a token that names another is refused to the API that it is for (RFC 8693 §4.4)', async () => {
    const site = await start({
      rules: [{ clients: ['agent0', 'agent1'], mode: 'delegation', audiences: [down] }],
      mayAct: { A: 'agent1' },
    })
    const subject = await userToken(site)

    const send = () => exchange(site, 'agent0', subject)
    await send()
    await expectJsonRefusal(
      site,
      { status: 400, error: 'access_denied' },
      { send, reason: 'exchange_without_standing' },
    )
  })

  it('needs a rule of its own (RFC 8693 §2.2.2)', async () => {
    const site = await start({ rules, mayAct: { A: 'agent2' } })

    await exchange(site, 'agent2', await userToken(site))

    expect(site.lastReason()).toBe('exchange_not_permitted')
  })
})

describe('token exchange: an ID token', () => {
  const rules = [{ clients: ['A'], mode: 'delegation', subjects: ['id_token'], audiences: [down] }] as const

  /** Signs U1 in to client A, which exchanges the ID token. */
  async function signedIn(options: Parameters<typeof startExchangeSite>[0] = { rules }, scope = 'openid api.read') {
    const site = await start(options)
    const tokens = await tokensFor(site, 'A', { scope, resource: 'https://api.test' })
    const present = (change: Change = {}) =>
      postAs(site, 'A', {
        path: '/token',
        form: { grant_type: exchangeGrant, subject_token: tokens.id_token, subject_token_type: idTokenType, ...change },
      })
    return { site, tokens, present }
  }

  it('gives its client a token with the scope values that the user granted to it (RFC 8693 §2.1)', async () => {
    const { tokens, present } = await signedIn()

    const { json } = await present()

    expect(json).toMatchObject({ issued_token_type: accessTokenType, scope: 'api.read' })
    const claims = decodeJwt(String(json['access_token']))
    expect(claims).toMatchObject({ sub: 'U1', aud: down, client_id: 'A' })
    expect(claims['act']).toBeUndefined()
    expect(claims.exp).toBeLessThanOrEqual(decodeJwt(tokens.id_token).exp ?? 0)
  })

  it.each([
    ['the user is deactivated', ({ storage, clock }) => storage.users.deactivate(userId('U1'), clock.now())],
    [
      'the user disconnects the client',
      async ({ storage, clock }) => {
        const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
        if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
      },
    ],
  ] satisfies readonly (readonly [string, (site: Awaited<ReturnType<typeof start>>) => Promise<unknown>])[])(
    'is refused, and its token ends, when %s',
    async (_when, end) => {
      const { site, present } = await signedIn()
      const token = String((await present()).json['access_token'])
      const before = await isActive(site, token)

      await end(site)

      expect([before, await isActive(site, token)]).toEqual([true, false])
      expect([(await present()).json['error'], site.lastReason()]).toEqual(['invalid_request', 'subject_token_invalid'])
    },
  )

  it.each([
    ['an access token', 'access_token', accessTokenType],
    ['an access token as ID token', 'access_token', idTokenType],
    ['a refresh token, which the client can use itself', 'refresh_token', refreshTokenType],
  ] as const)('is the only kind if the rule says so: refuses %s (RFC 8693 §2.2.2)', async (_what, member, type) => {
    const { site, tokens, present } = await signedIn({ rules }, 'openid offline_access api.read')

    const send = () => present({ subject_token: tokens[member], subject_token_type: type })
    await send()
    await expectJsonRefusal(site, { status: 400, error: 'invalid_request' }, { send, reason: 'subject_token_invalid' })
  })

  it('is refused without a rule for ID tokens, and to another client (RFC 8693 §2.2.2)', async () => {
    const plain = await signedIn({ rules: [{ clients: ['A'], mode: 'delegation', audiences: [down] }] })
    await plain.present()
    expect(plain.site.lastReason()).toBe('subject_token_invalid')

    const { site, tokens } = await signedIn({
      rules: [{ clients: ['agent0'], mode: 'delegation', subjects: ['id_token'], audiences: [down] }],
    })
    await exchange(site, 'agent0', tokens.id_token, { subject_token_type: idTokenType })
    expect(site.lastReason()).toBe('subject_token_invalid')
  })

  it('does not give a scope value that the user did not grant (RFC 8693 §2.2.2)', async () => {
    const { site, present } = await signedIn()

    const { json } = await present({ scope: 'api.write' })

    expect([json['error'], site.lastReason()]).toEqual(['invalid_scope', 'scope_not_granted'])
  })

  it('leaves its token active when the access token of the same sign-in is revoked', async () => {
    const { site, tokens, present } = await signedIn()
    const token = String((await present()).json['access_token'])

    await revoke(site, tokens.access_token)

    expect(await isActive(site, token)).toBe(true)
  })
})
