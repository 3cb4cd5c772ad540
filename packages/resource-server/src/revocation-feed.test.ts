import { describe, expect, it } from 'vitest'

import { aFeed, aToken, refuseConnection, unavailable, refs } from '../test/feed-under-test.ts'
import type { FeedAnswer } from '../test/feed-server.ts'
import type { AccessTokenClaims } from './access-token.ts'

describe('a revocation feed in the mode on_demand', () => {
  it('distinguishes a revoked token from an active one', async () => {
    const { feed } = await aFeed(() => ({ revocations: [['token', 't', 2000]] }))

    expect(await feed.statusOf(aToken(), 'key-1')).toBe('revoked')
    expect(await feed.statusOf(aToken({ tokenId: 'other' }), 'key-1')).toBe('active')
  })

  it('treats a token as revoked when a dropped key signed it, whatever the token contains', async () => {
    const { feed } = await aFeed(() => ({ revocations: [['key', 'leaked', 2000]] }))

    expect(await feed.statusOf(aToken({ claims: { ...refs, family: 7 } }), 'leaked')).toBe('revoked')
    expect(await feed.statusOf(aToken(), 'other')).toBe('active')
  })

  it('polls at most every 0.8 seconds for all requests together, from the last cursor', async () => {
    const { at, feed, requests } = await aFeed()

    await Promise.all(Array.from({ length: 50 }, () => feed.statusOf(aToken(), 'key-1')))
    at.seconds += 0.7
    await feed.statusOf(aToken(), 'key-1')
    const within = requests.length
    at.seconds += 0.1
    await feed.statusOf(aToken(), 'key-1')

    expect([within, requests.length]).toEqual([1, 2])
    expect(requests.map(({ cursor, wait }) => [cursor, wait])).toEqual([
      [null, '0'],
      ['log.1', '0'],
    ])
  })

  it('authenticates with client_secret_basic (RFC 6749 §2.3.1)', async () => {
    const { feed, requests } = await aFeed()

    await feed.statusOf(aToken(), 'key-1')

    expect(requests[0]?.authorization).toBe(`Basic ${btoa('api:s+%C3%A4')}`)
  })

  it('knows of a revocation within a second', async () => {
    const answers: FeedAnswer[] = [{}, { revocations: [['family', 'f', 2000]] }]
    const { at, feed } = await aFeed((_, count) => answers[count - 1] ?? {})

    const before = await feed.statusOf(aToken(), 'key-1')
    at.seconds += 1

    expect([before, await feed.statusOf(aToken(), 'key-1')]).toEqual(['active', 'revoked'])
  })

  it('reads the feed to its end before it reports a token as active', async () => {
    const pages: FeedAnswer[] = [{ more: true }, { more: true }, { revocations: [['grant', 'g', 2000]] }]
    const { feed, requests } = await aFeed((_, count) => pages[count - 1] ?? {})

    expect(await feed.statusOf(aToken(), 'key-1')).toBe('revoked')
    expect(requests.map(({ cursor }) => cursor)).toEqual([null, 'log.1', 'log.2'])
  })

  it('keeps the old tokens of a reactivated user revoked, and reports new tokens as active', async () => {
    const { feed } = await aFeed(() => ({ revocations: [['account', 'u.0', 2000]] }))

    const before = await feed.statusOf(aToken(), 'key-1')
    const after = await feed.statusOf(
      aToken({ claims: { ...refs, family: 'f2', grant: 'g2', generation: 1 } }),
      'key-1',
    )

    expect([before, after]).toEqual(['revoked', 'active'])
  })

  it('does not know the status of a token that is older than the feed covers', async () => {
    const { feed } = await aFeed(() => ({ coversAfter: 990 }))

    expect(await feed.statusOf(aToken(), 'key-1')).toBe('unknown')
    expect(await feed.statusOf(aToken({ issuedAt: 991 }), 'key-1')).toBe('active')
  })

  it.each<AccessTokenClaims['claims']>([
    {},
    { client_ref: [] },
    { client_ref: 'c' },
    { client_ref: ['c', 7] },
    { client_ref: ['c'], family: 'f', grant: 'g', generation: 0 },
    { ...refs, user_ref: [], family: 'f', grant: 'g', generation: 0 },
    { ...refs, family: 'f' },
    { ...refs, family: 'f', grant: 'g' },
    { ...refs, family: 'f', generation: 0 },
    { ...refs, family: 'f', grant: 'g', generation: 0, session: 7 },
    { ...refs, family: 7, grant: 'g', generation: 0 },
    { ...refs, family: 'f', grant: 'g', generation: '0' },
    { ...refs, family: null, grant: 'g', generation: 0 },
  ])('does not know the status of a token that does not name everything it depends on: %j', async (claims) => {
    const { feed } = await aFeed()

    expect(await feed.statusOf(aToken({ claims }), 'key-1')).toBe('unknown')
  })

  it('polls again after the clock was set back a little', async () => {
    const { at, feed, requests } = await aFeed()
    await feed.statusOf(aToken(), 'key-1')

    at.seconds -= 30
    await feed.statusOf(aToken(), 'key-1')

    expect(requests.map(({ cursor }) => cursor)).toEqual([null, 'log.1'])
  })

  it('reads all pages again after the clock was set back by more than a minute, because it removed revocations too early', async () => {
    const log: readonly FeedAnswer[] = [{ revocations: [['token', 't', 1900]], more: true }, { more: true }, {}]
    const { at, feed, requests } = await aFeed(({ cursor }, count) => log[cursor === null ? 0 : (count - 1) % 3] ?? {})
    await feed.statusOf(aToken(), 'key-1')
    at.seconds += 86_400
    for (let count = 0; count < 3; count += 1) {
      await feed.statusOf(aToken(), 'key-1')
      at.seconds += 1
    }

    at.seconds = 1100
    const status = await feed.statusOf(aToken(), 'key-1')

    expect(status).toBe('revoked')
    expect(requests.slice(-3).map(({ cursor }) => cursor === null)).toEqual([true, false, false])
  })

  it.each([-86_400, -3600, 3600, 86_400])(
    'keeps a revocation for as long as the server says, although the clock of the server differs by %i seconds',
    async (difference) => {
      const iat = 1000 + difference
      const answers: FeedAnswer[] = [{ revocations: [['token', 't', iat + 900]], claims: { iat } }]
      const { at, feed } = await aFeed((_, count) => answers[count - 1] ?? { revocations: [['token', 'other', 9999]] })
      const statuses = [await feed.statusOf(aToken(), 'key-1')]
      for (const time of [1899, 1901]) {
        at.seconds = time
        statuses.push(await feed.statusOf(aToken(), 'key-1'))
      }

      expect(statuses).toEqual(['revoked', 'revoked', 'active'])
    },
  )
})

describe('a revocation feed that cannot be read', () => {
  it('reports the server as unavailable, and the token as neither active nor revoked', async () => {
    const { feed } = await aFeed(refuseConnection)

    await expect(feed.statusOf(aToken(), 'key-1')).rejects.toMatchObject(unavailable)
  })

  it('uses its last state for the tolerated silence, and reports revoked tokens as revoked even afterwards', async () => {
    let isUp = true
    const { at, feed } = await aFeed(() => (isUp ? { revocations: [['token', 'revoked', 2000]] } : refuseConnection()))
    await feed.statusOf(aToken(), 'key-1')
    isUp = false

    at.seconds += 9.9
    const tolerated = await feed.statusOf(aToken(), 'key-1')
    at.seconds += 0.1

    expect(tolerated).toBe('active')
    await expect(feed.statusOf(aToken(), 'key-1')).rejects.toMatchObject(unavailable)
    expect(await feed.statusOf(aToken({ tokenId: 'revoked' }), 'key-1')).toBe('revoked')
  })

  it('is polled at most every 0.8 seconds while it is down', async () => {
    const { at, feed, requests } = await aFeed(refuseConnection)

    for (let count = 0; count < 20; count += 1) await feed.statusOf(aToken(), 'key-1').catch(() => undefined)
    const before = requests.length
    at.seconds += 1
    await feed.statusOf(aToken(), 'key-1').catch(() => undefined)

    expect([before, requests.length]).toEqual([1, 2])
  })
})

describe('an invalid feed response', () => {
  it.each<readonly [string, FeedAnswer]>([
    ['an access token (RFC 8725 §3.11)', { header: { typ: 'at+jwt' } }],
    ['no signature (RFC 8725 §3.1)', { header: { alg: 'none' } }],
    ['a key that is not published (RFC 8725 §3.10)', { header: { kid: 'other' } }],
    ['another header member (RFC 7515 §4.1.11)', { header: { crit: ['x'] } }],
    ['another issuer (RFC 8725 §3.8)', { claims: { iss: 'https://other.test' } }],
    ['another resource server as audience (RFC 8725 §3.9)', { claims: { aud: 'other' } }],
    ['several audiences (RFC 8725 §3.9)', { claims: { aud: ['api', 'other'] } }],
    ['the nonce of an earlier request', { claims: { nonce: 'earlier' } }],
    ['no cursor', { claims: { cursor: undefined } }],
    ['no time', { claims: { iat: undefined } }],
    ['no covers_after', { claims: { covers_after: undefined } }],
    ['more is not a boolean', { claims: { more: 'no' } }],
    ['no list of revocations', { claims: { ended: undefined } }],
    ['a revocation of an unknown kind', { claims: { ended: [['tenant', 'x', 2000]] } }],
    ['a revocation without a name', { claims: { ended: [['token', 7, 2000]] } }],
    ['a revocation without a time', { claims: { ended: [['token', 't', null]] } }],
    ['a revocation with a fourth member', { claims: { ended: [['token', 't', 2000, 'x']] } }],
  ])('is ignored as a whole: %s', async (_, answer) => {
    const { feed } = await aFeed(() => answer)

    await expect(feed.statusOf(aToken(), 'key-1')).rejects.toMatchObject(unavailable)
  })
})
