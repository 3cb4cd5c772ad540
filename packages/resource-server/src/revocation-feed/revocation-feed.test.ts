import { describe, expect, it } from 'vitest'

import { aFeed, aToken, down, isDown } from '../../test/a-feed.ts'
import type { FeedAnswer } from '../../test/feed-server.ts'
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'
import { digest } from '../runtime/digest.ts'

describe('a feed that is asked on demand', () => {
  it('design §4: tells a token that has ended from one that lives', async () => {
    const { feed } = await aFeed(() => ({ endings: [['token', 't', 2000]] }))

    expect(await feed.standingOf(aToken())).toBe('ended')
    expect(await feed.standingOf(aToken({ tokenId: 'other' }))).toBe('live')
  })

  it('asks every 0.8 seconds at most, for all requests that come meanwhile, and goes on from where it was', async () => {
    const { at, feed, requests } = await aFeed()

    await Promise.all(Array.from({ length: 50 }, () => feed.standingOf(aToken())))
    at.seconds += 0.7
    await feed.standingOf(aToken())
    const within = requests.length
    at.seconds += 0.1
    await feed.standingOf(aToken())

    expect([within, requests.length]).toEqual([1, 2])
    expect(requests.map(({ cursor, wait }) => [cursor, wait])).toEqual([
      [null, '0'],
      ['log.1', '0'],
    ])
  })

  it('RFC 6749 §2.3.1: proves who it is', async () => {
    const { feed, requests } = await aFeed()

    await feed.standingOf(aToken())

    expect(requests[0]?.authorization).toBe(`Basic ${btoa('api:s+%C3%A4')}`)
  })

  it('within a second a token that ends is refused', async () => {
    const answers: FeedAnswer[] = [{}, { endings: [['family', 'f', 2000]] }]
    const { at, feed } = await aFeed((_, count) => answers[count - 1] ?? {})

    const before = await feed.standingOf(aToken())
    at.seconds += 1

    expect([before, await feed.standingOf(aToken())]).toEqual(['live', 'ended'])
  })

  it('reads to the end before it says that a token lives', async () => {
    const pages: FeedAnswer[] = [{ more: true }, { more: true }, { endings: [['grant', 'g', 2000]] }]
    const { feed, requests } = await aFeed((_, count) => pages[count - 1] ?? {})

    expect(await feed.standingOf(aToken())).toBe('ended')
    expect(requests.map(({ cursor }) => cursor)).toEqual([null, 'log.1', 'log.2'])
  })

  it('design §4: an account that was deactivated and reactivated: what was issued before is dead, what was issued after is not', async () => {
    const account = await digest('U1')
    const { feed } = await aFeed(() => ({ endings: [['account', `${account}.0`, 2000]] }))

    const before = await feed.standingOf(aToken())
    const after = await feed.standingOf(aToken({ claims: { family: 'f2', grant: 'g2', generation: 1 } }))

    expect([before, after]).toEqual(['ended', 'live'])
  })

  it('is unsure of a token that is older than what the feed reaches back to', async () => {
    const { feed } = await aFeed(() => ({ coversAfter: 990 }))

    expect(await feed.standingOf(aToken())).toBe('unsure')
    expect(await feed.standingOf(aToken({ issuedAt: 991 }))).toBe('live')
  })

  it.each<AccessTokenClaims['claims']>([
    { family: 'f' },
    { family: 'f', grant: 'g' },
    { family: 'f', generation: 0 },
    { family: 7, grant: 'g', generation: 0 },
    { family: 'f', grant: 'g', generation: '0' },
    { family: null, grant: 'g', generation: 0 },
  ])('is unsure of a token that does not say all that its life depends on: %j', async (claims) => {
    const { feed } = await aFeed()

    expect(await feed.standingOf(aToken({ claims }))).toBe('unsure')
  })
})

describe('a feed that is not heard', () => {
  it('says neither yes nor no', async () => {
    const { feed } = await aFeed(down)

    await expect(feed.standingOf(aToken())).rejects.toMatchObject(isDown)
  })

  it('is believed for as long as silence is tolerated, and what has ended stays ended', async () => {
    let isUp = true
    const { at, feed } = await aFeed(() => (isUp ? { endings: [['token', 'ended', 2000]] } : down()))
    await feed.standingOf(aToken())
    isUp = false

    at.seconds += 9.9
    const tolerated = await feed.standingOf(aToken())
    at.seconds += 0.1

    expect(tolerated).toBe('live')
    await expect(feed.standingOf(aToken())).rejects.toMatchObject(isDown)
    expect(await feed.standingOf(aToken({ tokenId: 'ended' }))).toBe('ended')
  })

  it('is asked every 0.8 seconds at most while it is down', async () => {
    const { at, feed, requests } = await aFeed(down)

    for (let count = 0; count < 20; count += 1) await feed.standingOf(aToken()).catch(() => undefined)
    const before = requests.length
    at.seconds += 1
    await feed.standingOf(aToken()).catch(() => undefined)

    expect([before, requests.length]).toEqual([1, 2])
  })

  it('when the clock was set back, what was heard counts as old', async () => {
    const { at, feed, requests } = await aFeed()
    await feed.standingOf(aToken())

    at.seconds -= 3600
    await feed.standingOf(aToken())

    expect(requests).toHaveLength(2)
  })
})

describe('an answer that is not the feed', () => {
  it.each<readonly [string, FeedAnswer]>([
    ['RFC 8725 §3.11: it is an access token', { header: { typ: 'at+jwt' } }],
    ['RFC 8725 §3.1: it is not signed', { header: { alg: 'none' } }],
    ['RFC 8725 §3.10: its key is not published', { header: { kid: 'other' } }],
    ['RFC 7515 §4.1.11: it has more in its header', { header: { crit: ['x'] } }],
    ['RFC 8725 §3.8: it is of another issuer', { claims: { iss: 'https://other.test' } }],
    ['RFC 8725 §3.9: it is for another resource server', { claims: { aud: 'other' } }],
    ['RFC 8725 §3.9: it is for several', { claims: { aud: ['api', 'other'] } }],
    ['it answers an earlier question', { claims: { nonce: 'earlier' } }],
    ['it names no place', { claims: { cursor: undefined } }],
    ['it does not say from when on it knows all', { claims: { covers_after: undefined } }],
    ['it does not say whether there is more', { claims: { more: 'no' } }],
    ['it says nothing', { claims: { ended: undefined } }],
    ['something of a kind that is not known here has ended', { claims: { ended: [['tenant', 'x', 2000]] } }],
    ['something without a name has ended', { claims: { ended: [['token', 7, 2000]] } }],
    ['something has ended for no time', { claims: { ended: [['token', 't', null]] } }],
    ['an ending has more to say', { claims: { ended: [['token', 't', 2000, 'x']] } }],
  ])('%s: nothing of it counts', async (_, answer) => {
    const { feed } = await aFeed(() => answer)

    await expect(feed.standingOf(aToken())).rejects.toMatchObject(isDown)
  })
})
