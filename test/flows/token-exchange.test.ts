import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  type Exchange,
  accessTokenType,
  asAgent,
  chainOf,
  exchange,
  exchangeGrant,
  isActive,
  startExchangeSite,
  userToken,
  type ExchangeSite,
} from '../support/exchange-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, obtainCode, postForm, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postAs, revoke, serviceToken, tokensFor, tokensOf } from '../support/token-calls.ts'

async function start(...change: Parameters<typeof startExchangeSite>): Promise<ExchangeSite> {
  const site = await startExchangeSite(...change)
  onTestFinished(() => site.close())
  return site
}

describe('token exchange', () => {
  it('gives a token for the next API that names the user and the client that acts (RFC 8693 §2.2.1, §4.1)', async () => {
    const site = await start()
    const subject = await userToken(site)

    const reply = await exchange(site, 'agent0', subject)

    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ issued_token_type: accessTokenType, token_type: 'Bearer', scope: 'api.read' })
    expect(reply.json['refresh_token']).toBeUndefined()
    const claims = decodeJwt(String(reply.json['access_token']))
    expect(claims).toMatchObject({
      sub: 'U1',
      aud: 'https://down.test',
      client_id: 'agent0',
      act: { sub: 'agent0', client_id: 'agent0' },
      auth_time: decodeJwt(subject)['auth_time'],
    })
    expect(claims.exp).toBeLessThanOrEqual(decodeJwt(subject).exp ?? 0)
  })

  it('nests the parties that act, the current one outermost (RFC 8693 §4.1)', async () => {
    const site = await start()
    const chain = await chainOf(site, ['agent0', 'agent1', 'agent2', 'agent3'])

    expect(decodeJwt(chain.at(-1) ?? '')['act']).toEqual({
      sub: 'agent3',
      client_id: 'agent3',
      act: {
        sub: 'agent2',
        client_id: 'agent2',
        act: { sub: 'agent1', client_id: 'agent1', act: { sub: 'agent0', client_id: 'agent0' } },
      },
    })
  })

  it('tells an API that introspects the token who acts, and not where it comes from (RFC 8693 §4.1)', async () => {
    const site = await start()
    const [, token = ''] = await chainOf(site, ['agent0'])

    const { json } = await postForm(site, '/token/introspection', encode({ token }), {
      authorization: asAgent(site, 'agent1'),
    })

    expect(json).toMatchObject({ active: true, sub: 'U1', act: { sub: 'agent0' } })
    expect([json['lineage'], json['origins'], json['family']]).toEqual([undefined, undefined, undefined])
  })

  it('leaves the claim out for an impersonation, and the event says so (RFC 8693 §1.1)', async () => {
    const site = await start({
      rules: [{ clients: ['agent0'], mode: 'impersonation', audiences: ['https://down.test'] }],
    })

    const reply = await exchange(site, 'agent0', await userToken(site))

    expect(decodeJwt(String(reply.json['access_token']))['act']).toBeUndefined()
    expect(site.events.at(-1)).toMatchObject({
      type: 'tokens.issued',
      clientId: 'agent0',
      subject: 'U1',
      exchange: { mode: 'impersonation' },
    })
  })

  it('is listed in discovery with the option, and only then (RFC 8414 §2)', async () => {
    const plain = await startServer()
    onTestFinished(() => plain.close())
    const grantsOf = async (site: ServerUnderTest) =>
      (await site.send({ path: '/.well-known/openid-configuration' })).json['grant_types_supported']

    expect(await grantsOf(await start())).toContain(exchangeGrant)
    expect(await grantsOf(plain)).not.toContain(exchangeGrant)
  })

  it('lets the host narrow an exchange', async () => {
    const site = await start({ decide: ({ audience }) => ({ scopes: [], audience }) })

    const reply = await exchange(site, 'agent0', await userToken(site))

    expect([reply.status, reply.json['scope']]).toEqual([200, undefined])
  })
})

describe('token exchange: a token that is bound to a key', () => {
  const withRule = (change: { readonly acceptsBound?: boolean }) =>
    start({ rules: [{ clients: ['agent0'], mode: 'delegation', audiences: ['https://down.test'], ...change }] })

  /** Obtains a token of the user that is bound to a key of client A. */
  async function boundToken(site: ExchangeSite): Promise<string> {
    const prover = await createProofKey()
    const code = await obtainCode(site, { scope: 'api.read', resource: 'https://api.test' })
    return tokensOf(await redeem(site, code, {}, { dpop: await writeProof(site, prover) })).access_token
  }

  it('is exchanged by the rule for a token that is bound to the key of the client (RFC 9449 §5)', async () => {
    const site = await withRule({ acceptsBound: true })
    const own = await createProofKey()

    const reply = await exchange(site, 'agent0', await boundToken(site), {}, { dpop: await writeProof(site, own) })

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
    expect(decodeJwt(String(reply.json['access_token']))['cnf']).toEqual({ jkt: own.jkt })
  })

  it.each([
    ['by a rule without acceptsBound', false, true],
    ['without a proof of a key', true, false],
  ])('is refused %s (RFC 9449 §1)', async (_how, acceptsBound, proves) => {
    const site = await withRule({ acceptsBound })
    const subject = await boundToken(site)
    const own = await createProofKey()
    const reply = await exchange(site, 'agent0', subject, {}, proves ? { dpop: await writeProof(site, own) } : {})

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([400, 'access_denied', 'exchange_binding'])
  })
})

describe('token exchange: a request that is refused', () => {
  const refuse = async (
    site: ExchangeSite,
    error: string,
    refusal: Omit<Parameters<typeof expectJsonRefusal>[2], 'storage'>,
  ) => {
    await refusal.send()
    await expectJsonRefusal(site, { status: 400, error }, refusal)
  }

  it.each([
    ['without a subject token', { subject_token: undefined }, 'invalid_request', 'subject_token_invalid'],
    ['with an unknown subject token', { subject_token: 'x' }, 'invalid_request', 'subject_token_invalid'],
    [
      'without the type of the subject token',
      { subject_token_type: undefined },
      'invalid_request',
      'subject_token_invalid',
    ],
    [
      'with an access token as ID token',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
      'invalid_request',
      'subject_token_invalid',
    ],
    [
      'for a refresh token',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
      'exchange_unsupported',
    ],
    ['for authorization details', { authorization_details: '[]' }, 'invalid_request', 'exchange_unsupported'],
    ['with an actor token without a type', { actor_token: 'x' }, 'invalid_request', 'actor_token_invalid'],
    [
      'with the type of an actor token alone',
      { actor_token_type: accessTokenType },
      'invalid_request',
      'actor_token_invalid',
    ],
    ['for an API that is not in the rule', { resource: 'https://deep.test' }, 'invalid_target', 'exchange_target'],
    ['for an API that does not exist', { audience: 'https://none.test' }, 'invalid_target', 'resource_unknown'],
    [
      'for two APIs of which one is in the rule',
      { resource: 'https://down.test', audience: 'https://deep.test' },
      'invalid_target',
      'exchange_target',
    ],
    ['for a scope value that the token does not have', { scope: 'api.write' }, 'invalid_scope', 'scope_not_granted'],
  ] as const)('%s (RFC 8693 §2.1, §2.2.2)', async (_how, change, error, reason) => {
    const site = await start()
    const subject = await userToken(site)

    await refuse(site, error, { send: () => exchange(site, 'agent0', subject, change), reason })
  })

  it('a token that was issued to another client for another API (RFC 8693 §5)', async () => {
    const site = await start()
    const subject = await userToken(site)

    await refuse(site, 'access_denied', {
      send: () => exchange(site, 'agent1', subject),
      reason: 'exchange_without_standing',
    })
  })

  it('a token that a client holds for itself (RFC 8693 §2.2.2)', async () => {
    const site = await start()
    const own = tokensOf(await serviceToken(site, { resource: 'https://api.test' })).access_token

    await refuse(site, 'invalid_request', {
      send: () => exchange(site, 'agent0', own),
      reason: 'subject_token_invalid',
    })
  })

  it('an actor token of a user, or of another client (RFC 8693 §5)', async () => {
    const site = await start()
    const subject = await userToken(site)
    const others = [subject, tokensOf(await serviceToken(site, { resource: 'https://api.test' })).access_token]

    for (const actor of others)
      await refuse(site, 'invalid_request', {
        send: () => exchange(site, 'agent0', subject, { actor_token: actor, actor_token_type: accessTokenType }),
        reason: 'actor_token_invalid',
      })
  })

  it('a client without a rule (RFC 8693 §2.2.2)', async () => {
    const site = await start()
    const subject = await userToken(site)
    await changeClient(site.storage, clientId('M'), { grantTypes: [exchangeGrant] })
    const form = { grant_type: exchangeGrant, subject_token: subject, subject_token_type: accessTokenType }

    await refuse(site, 'unauthorized_client', {
      send: () => postAs(site, 'M', { path: '/token', form }),
      reason: 'exchange_not_permitted',
    })
  })

  it('a public client (RFC 8693 §5)', async () => {
    const site = await start({ rules: [{ clients: ['P'], mode: 'delegation', audiences: ['https://down.test'] }] })
    const subject = await userToken(site)
    await changeClient(site.storage, clientId('P'), { grantTypes: [exchangeGrant] })
    const form = { grant_type: exchangeGrant, subject_token: subject, subject_token_type: accessTokenType }

    await refuse(site, 'unauthorized_client', {
      send: () => postAs(site, 'P', { path: '/token', form }),
      reason: 'client_public',
    })
  })

  it('a fifth exchange, and a second one without maxDepth (RFC 8693 §4.1)', async () => {
    const site = await start()
    const chain = await chainOf(site, ['agent0', 'agent1', 'agent2', 'agent3'])
    const shallow = await start({
      rules: ['agent0', 'agent1'].map((agent, index) => ({
        clients: [agent],
        mode: 'delegation' as const,
        audiences: [['https://down.test', 'https://deep.test'][index] ?? ''],
      })),
    })
    const [, once = ''] = await chainOf(shallow, ['agent0'])

    const reason = 'exchange_too_deep'
    await refuse(site, 'access_denied', { send: () => exchange(site, 'agent4', chain.at(-1) ?? ''), reason })
    await refuse(shallow, 'access_denied', { send: () => exchange(shallow, 'agent1', once), reason })
  })

  it('an exchange that the host refuses (RFC 8693 §2.2.2)', async () => {
    const site = await start({ decide: () => 'refuse' })
    const subject = await userToken(site)

    await refuse(site, 'access_denied', { send: () => exchange(site, 'agent0', subject), reason: 'exchange_refused' })
  })

  it('with 500 if the host allows more than was requested', async () => {
    const site = await start({ decide: ({ audience }) => ({ scopes: ['api.read', 'api.write'], audience }) })

    expect((await exchange(site, 'agent0', await userToken(site))).status).toBe(500)
  })
})

describe('token exchange: a token of the user without scope values for APIs', () => {
  it('gives no token, and never one with the scope values of the client (RFC 8693 §2.1)', async () => {
    const site = await start()
    const subject = (await tokensFor(site, 'A', { scope: 'openid', resource: 'https://api.test' })).access_token
    const refused = { status: 400, error: 'invalid_scope' }
    await exchange(site, 'agent0', subject)

    for (const change of [{}, { scope: 'api.read' }])
      await expectJsonRefusal(site, refused, {
        send: () => exchange(site, 'agent0', subject, change),
        reason: 'scope_not_granted',
      })
  })
})

describe('token exchange: an exchanged token', () => {
  it('is revoked by the client that it was issued to, and by no other one (RFC 7009 §2.1)', async () => {
    const site = await start()
    const [, exchanged = ''] = await chainOf(site, ['agent0'])
    const revokeAs = (authorization: string) =>
      postForm(site, '/token/revocation', encode({ token: exchanged }), { authorization })

    const byOther = await revokeAs(asAgent(site, 'agent1'))
    const after = await isActive(site, exchanged)
    const byOwn = await revokeAs(asAgent(site, 'agent0'))

    expect([byOther.status, after]).toEqual([200, true])
    expect([byOwn.status, await isActive(site, exchanged)]).toEqual([200, false])
  })
})

describe('createAuthorizationServer', () => {
  it.each([
    ['an unknown API', { audiences: ['https://none.test'] }],
    ['an unknown scope value', { audiences: ['https://down.test'], scopes: ['none'] }],
    ['no client', { clients: [], audiences: ['https://down.test'] }],
    ['five exchanges', { audiences: ['https://down.test'], maxDepth: 5 as 4 }],
  ])('refuses a rule for exchanges with %s', async (_what, rule) => {
    const starting = startExchangeSite({ rules: [{ clients: ['agent0'], mode: 'delegation', ...rule }] })

    await expect(starting).rejects.toThrow('tokenExchange')
  })

  it('refuses a rule for exchanges that never applies to a client, because an earlier rule does', async () => {
    const rule = { mode: 'delegation', audiences: ['https://down.test'] } as const
    const startWith = (second: Partial<Exchange['rules'][number]>) =>
      startExchangeSite({
        rules: [
          { ...rule, clients: ['agent0', 'agent1'], scopes: ['api.read'] },
          { ...rule, clients: ['agent1'], ...second },
        ],
      })

    await expect(startWith({ scopes: ['api.write'] })).rejects.toThrow(
      'tokenExchange.rules[1] never applies to the client agent1, because tokenExchange.rules[0] is for the same tokens and APIs',
    )
    await expect(startWith({ subjects: ['id_token'] })).resolves.toBeDefined()
    await expect(startWith({ clients: ['agent2'] })).resolves.toBeDefined()
    await expect(startWith({ audiences: ['https://down.test', 'https://api.test'] })).resolves.toBeDefined()
  })
})

describe('a token of the user that is refreshed', () => {
  it('leaves the exchanged token active, because its family is', async () => {
    const site = await start()
    const tokens = await tokensFor(site, 'A', { scope: 'api.read offline_access', resource: 'https://api.test' })
    const reply = await exchange(site, 'agent0', tokens.access_token)

    expect(await isActive(site, String(reply.json['access_token']))).toBe(true)
    await revoke(site, tokens.refresh_token)
    expect(await isActive(site, String(reply.json['access_token']))).toBe(false)
  })
})
