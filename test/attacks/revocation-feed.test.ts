import { createHash } from 'node:crypto'
import { registerClient } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, postForm, type Change } from '../support/flow.ts'
import { readJws } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { authenticateEveryClient, postAs, revoke, tokensFor, type ClientName } from '../support/token-calls.ts'

// One file for the feed endpoint; a third of it is the table of rejected requests.
const path = '/token/revocation-feed'
const nonce = 'n'.repeat(22)

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer({ revocationFeed: true })
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

const requestFeed = (form: Change = {}, client: ClientName = 'RS'): Promise<Reply> =>
  postAs(site, client, { path, form: { nonce, ...form } })

/** Verifies a response as a resource server does. @returns its claims. */
async function verifyFeed(
  reply: Reply,
  audience = 'RS',
): Promise<JWTPayload & { readonly ended: readonly (readonly [string, string, number])[]; readonly cursor: string }> {
  const jwks = await site.send({ path: '/jwks' })
  const keys = createLocalJWKSet(jwks.json as never)
  const { payload } = await jwtVerify(reply.text, keys, {
    typ: 'revocation-feed+jwt',
    issuer: 'https://as.test',
    audience,
  })
  return payload as Awaited<ReturnType<typeof verifyFeed>>
}

describe('requests that the feed rejects', () => {
  it.each<readonly [string, () => Promise<Reply>, readonly [number, string, string]]>([
    [
      'without authentication (RFC 6749 §5.2)',
      () => postForm(site, path, encode({ nonce }), {}),
      [401, 'invalid_client', 'client_authentication_missing'],
    ],
    [
      'with a wrong secret (RFC 6749 §5.2)',
      () => postForm(site, path, encode({ nonce }), { authorization: basic('RS', 'x') }),
      [401, 'invalid_client', 'client_credentials_wrong'],
    ],
    ['with client_id alone (RFC 7662 §2.1)', () => requestFeed({}, 'P'), [401, 'invalid_client', 'client_public']],
    [
      'from a client that is not a resource server (RFC 7662 §4)',
      () => requestFeed({}, 'A'),
      [400, 'unauthorized_client', 'client_serves_no_audience'],
    ],
    [
      'without a nonce (RFC 8725 §3.10)',
      () => requestFeed({ nonce: undefined }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with a guessable nonce (RFC 8725 §3.10)',
      () => requestFeed({ nonce: 'n'.repeat(15) }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with an overlong nonce (RFC 6749 §5.2)',
      () => requestFeed({ nonce: 'n'.repeat(129) }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with a nonce that needs escaping (RFC 6749 §5.2)',
      () => requestFeed({ nonce: `${nonce}"` }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with an overlong cursor (RFC 6749 §5.2)',
      () => requestFeed({ cursor: 'c'.repeat(129) }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with an unlimited wait (RFC 6749 §5.2)',
      () => requestFeed({ wait: '1000' }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with a negative wait (RFC 6749 §5.2)',
      () => requestFeed({ wait: '-1' }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with a fractional wait (RFC 6749 §5.2)',
      () => requestFeed({ wait: '0.5' }),
      [400, 'invalid_request', 'feed_question_malformed'],
    ],
    [
      'with a repeated parameter (RFC 6749 §3.2)',
      () =>
        postForm(site, path, `nonce=${nonce}&nonce=${nonce}`, { authorization: basic('RS', site.clients.RS.secret) }),
      [400, 'invalid_request', 'parameter_repeated'],
    ],
  ])('%s', async (_, send, [status, error, reason]) => {
    const before = site.dump()

    const reply = await send()

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([status, error, reason])
    expect(reply.header('cache-control')).toBe('no-store')
    expect(site.dump()).toBe(before)
  })

  it('rejects GET (RFC 9110 §15.5.6)', async () => {
    const reply = await site.send({ path: `${path}?nonce=${nonce}` })

    expect([reply.status, reply.header('allow')]).toEqual([405, 'POST'])
  })

  it('signs a response only for the client that requested it (RFC 9110 §11.1)', async () => {
    const { clientSecret = '' } = await registerClient(
      { clientId: 'RS2', clientName: 'Other API', grantTypes: [], servedAudiences: ['https://other.test'] },
      { storage: site.storage },
    )

    const other = await postForm(site, path, encode({ nonce }), { authorization: basic('RS2', clientSecret) })

    await expect(verifyFeed(other)).rejects.toMatchObject({ claim: 'aud' })
    expect((await verifyFeed(other, 'RS2')).aud).toBe('RS2')
  })
})

const digestOf = (text: string, form: 'hex' | 'base64url'): string => createHash('sha256').update(text).digest(form)

describe('the feed', () => {
  it('accepts a cursor and a nonce of the maximum length', async () => {
    const reply = await requestFeed({ cursor: 'c'.repeat(128), nonce: 'n'.repeat(128) })

    expect(reply.status).toBe(200)
  })

  it('has its own media type and contains the nonce of the request (RFC 8725 §3.11)', async () => {
    const reply = await requestFeed()

    const feed = await verifyFeed(reply)

    expect([reply.status, reply.header('content-type'), reply.header('cache-control')]).toEqual([
      200,
      'application/revocation-feed+jwt',
      'no-store',
    ])
    expect(Object.keys(feed).toSorted()).toEqual([
      'aud',
      'covers_after',
      'cursor',
      'ended',
      'iat',
      'iss',
      'more',
      'nonce',
    ])
    expect([feed['nonce'], feed['iss']]).toEqual([nonce, 'https://as.test'])
  })

  it('continues from a cursor', async () => {
    const { access_token } = await tokensFor(site, 'A')
    const { cursor } = await verifyFeed(await requestFeed())
    await revoke(site, access_token)

    const feed = await verifyFeed(await requestFeed({ cursor, wait: '20' }))
    const again = await verifyFeed(await requestFeed({ cursor: feed.cursor }))

    expect(feed.ended.map(([kind, name]) => [kind, name])).toEqual([['token', readJws(access_token).payload['jti']]])
    expect(again.ended).toEqual([])
  })

  it('contains no secret and no identifier of a user', async () => {
    const { access_token, refresh_token } = await tokensFor(site, 'A')
    await revoke(site, access_token)
    await revoke(site, refresh_token)
    await site.storage.users.deactivate(userId('U1'), site.clock.now())
    await site.storage.users.reactivate(userId('U1'), site.clock.now())

    const feed = JSON.stringify(await verifyFeed(await requestFeed()))

    for (const secret of ['U1', 'Ann', access_token, refresh_token, refresh_token.slice(0, 43), site.clients.RS.secret])
      expect(feed).not.toContain(secret)
  })

  it('does not reveal users and clients to an API that guesses them: their names occur only in their tokens (RFC 7662 §5)', async () => {
    const { access_token } = await tokensFor(site, 'A')
    const { user_ref: user, client_ref: client } = readJws(access_token).payload
    await registerClient({ clientId: 'secret-project', clientName: 'X', grantTypes: [] }, { storage: site.storage })
    await site.storage.clients.remove(clientId('secret-project'), site.clock.now())
    await site.storage.users.deactivate(userId('U1'), site.clock.now())
    await site.storage.users.reactivate(userId('U1'), site.clock.now())
    await changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() })
    await changeClient(site.storage, clientId('A'), { disabledAt: undefined })

    const { ended } = await verifyFeed(await requestFeed())

    const names = ended.map(([, name]) => name.split('.')[0] ?? '')
    expect(names).toEqual(expect.arrayContaining([...(user as string[]), ...(client as string[])]))
    for (const guess of ['U1', 'A', 'secret-project'])
      for (const name of [guess, ...['hex', 'base64url'].map((form) => digestOf(guess, form as 'hex' | 'base64url'))])
        expect(names).not.toContain(name)
  })

  it('holds the response until something is revoked', async () => {
    const { access_token } = await tokensFor(site, 'A')
    const { cursor } = await verifyFeed(await requestFeed())
    const answers: string[] = []

    const waiting = (async () => {
      const feed = await verifyFeed(await requestFeed({ cursor, wait: '20' }))
      answers.push('feed')
      return feed
    })()
    const others = await verifyFeed(await requestFeed())
    answers.push('other')
    await revoke(site, access_token)

    expect((await waiting).ended).toHaveLength(1)
    expect(others.ended.length).toBeGreaterThan(0)
    expect(answers).toEqual(['other', 'feed'])
  })

  it('responds with an empty list when nothing was revoked during the wait', async () => {
    const { cursor } = await verifyFeed(await requestFeed())

    const feed = await verifyFeed(await requestFeed({ cursor, wait: '1' }))

    expect([feed.ended, feed.cursor]).toEqual([[], cursor])
  })

  it('stores nothing, and reports one event when it delivers something', async () => {
    const before = site.dump()
    const events = site.events.length
    const { cursor } = await verifyFeed(await requestFeed())
    await requestFeed({ cursor })

    expect(site.dump()).toBe(before)
    expect(site.events.slice(events)).toMatchObject([{ type: 'revocations.delivered', clientId: 'RS' }])
  })
})
