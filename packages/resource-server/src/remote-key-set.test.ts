import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRemoteKeySet, type KeySet } from './key-set.ts'

let jwk: object
beforeAll(async () => {
  jwk = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), alg: 'ES256' }
})

/** A key set over a server that answers as the test says, at a time that the test sets. */
function aKeySet(answer: () => Response | Promise<Response>) {
  const at = { seconds: 1000, requests: 0, inits: [] as (RequestInit | undefined)[] }
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    at.requests += 1
    at.inits.push(init)
    return answer()
  }
  const keys: KeySet = createRemoteKeySet(async () => 'https://as.test/jwks', { fetch, clock: () => at.seconds * 1000 })
  return { at, keys }
}

const publish = (...names: readonly string[]): Response =>
  Response.json({ keys: names.map((kid) => ({ ...jwk, kid })) })

const withAge = (age: string): Response => new Response(publish('a').body, { headers: { age } })

const withStatus = (status: number): Response =>
  new Response(publish('a').body, { status, headers: { location: 'https://evil.test/jwks' } })

const isDown = { code: 'temporarily_unavailable', reason: 'authorization_server_unavailable' }

describe('the keys of an authorization server', () => {
  it('are fetched once for simultaneous requests', async () => {
    const { at, keys } = aKeySet(() => publish('a'))

    const found = await Promise.all(Array.from({ length: 50 }, () => keys.find('a')))

    expect(found.every((key) => key?.algorithm === 'ES256')).toBe(true)
    expect(at.requests).toBe(1)
  })

  it('are kept for five minutes, and fetched again in the background after four', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds += 239
    await keys.find('a')
    const kept = at.requests
    at.seconds += 1
    await keys.find('a')

    expect([kept, at.requests]).toEqual([1, 2])
  })

  it('are fetched at most once in thirty seconds for unknown names (RFC 8725 §3.10)', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds += 31
    for (let count = 0; count < 100; count += 1) await keys.find(`invented-${count}`)
    await Promise.all(Array.from({ length: 100 }, (_, count) => keys.find(`again-${count}`)))

    expect(at.requests).toBe(2)
  })

  it('include a new key before the five minutes are over (OIDC Core §10.1.1)', async () => {
    const published = ['old']
    const { at, keys } = aKeySet(() => publish(...published))
    await keys.find('old')
    published.push('new')

    at.seconds += 30
    const found = await keys.find('new')

    expect(found).toBeDefined()
  })

  it('do not include a key that is no longer published after the next fetch', async () => {
    const published = ['old', 'new']
    const { at, keys } = aKeySet(() => publish(...published))
    await keys.find('old')
    published.shift()

    at.seconds += 300
    const found = await keys.find('old')

    expect(found).toBeUndefined()
  })

  it.each(['180', ' 180 ', '180, 7'])(
    'are kept for a shorter time when a shared cache kept them before: Age %j (RFC 9111 §4.2.3)',
    async (age) => {
      let isUp = true
      const { at, keys } = aKeySet(() => (isUp ? withAge(age) : new Response(null, { status: 503 })))
      await keys.find('a')
      isUp = false

      at.seconds += 119

      expect(await keys.find('a')).toBeDefined()
      at.seconds += 1
      await expect(keys.find('a')).rejects.toMatchObject(isDown)
    },
  )

  it('are not used when a shared cache kept them for five minutes, and come from the next response', async () => {
    let age = '300'
    const { at, keys } = aKeySet(() => withAge(age))

    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    expect(at.requests).toBe(1)
    age = '299'
    at.seconds += 5

    expect(await keys.find('a')).toBeDefined()
  })

  it('never lack behind a shared cache that keeps to max-age, in any second of its copies', async () => {
    const at = { seconds: 1000, requests: 0, filledAt: 1000 }
    const fetch: typeof globalThis.fetch = async () => {
      at.requests += 1
      if (at.seconds >= at.filledAt + 300) at.filledAt = at.seconds
      return withAge(String(at.seconds - at.filledAt))
    }
    const lacking: number[] = []

    for (let start = 1000; start < 1300; start += 7) {
      Object.assign(at, { seconds: start, filledAt: 1000 })
      const keys = createRemoteKeySet(async () => 'https://as.test/jwks', { fetch, clock: () => at.seconds * 1000 })
      for (; at.seconds < start + 700; at.seconds += 1) await keys.find('a').catch(() => lacking.push(at.seconds))
    }

    expect(lacking).toEqual([])
  })

  it('do not replace newer ones: a shared cache may answer with an older copy', async () => {
    let answer = () => publish('new')
    const { at, keys } = aKeySet(() => answer())
    await keys.find('new')
    answer = () => withAge('290')

    at.seconds += 240
    const found = await keys.find('a')

    expect([found, at.requests]).toEqual([undefined, 2])
    expect(await keys.find('new')).toBeDefined()
  })

  it.each(['', '-5', '1.5', 'soon', 'NaN', '1e3'])(
    'are kept for five minutes when the Age is no number: %j (RFC 9111 §5.1)',
    async (age) => {
      const { at, keys } = aKeySet(() => withAge(age))
      await keys.find('a')

      at.seconds += 239
      await keys.find('a')

      expect(at.requests).toBe(1)
    },
  )

  it('are used no longer while the server cannot be reached: it may have dropped one (OIDC Core §10.1.1)', async () => {
    let isUp = true
    const { at, keys } = aKeySet(() => (isUp ? publish('a') : new Response(null, { status: 503 })))
    await keys.find('a')
    isUp = false

    at.seconds += 299
    const early = await Promise.all([keys.find('a'), keys.find('a')])
    at.seconds += 1

    expect(early.every((key) => key !== undefined)).toBe(true)
    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    expect(at.requests).toBe(2)
    at.seconds += 5
    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    expect(at.requests).toBe(3)
  })

  it('refuse with 503 when there never were any', async () => {
    const { at, keys } = aKeySet(() => Promise.reject(new Error('refused')))

    await expect(keys.find('a')).rejects.toMatchObject({ ...isDown, cause: new Error('refused') })
    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    expect(at.requests).toBe(1)
  })

  it('come from a second attempt when the first failed', async () => {
    let isUp = false
    const { at, keys } = aKeySet(() => (isUp ? publish('a') : new Response(null, { status: 500 })))
    await keys.find('a').catch(() => undefined)
    isUp = true

    at.seconds += 5

    expect(await keys.find('a')).toBeDefined()
  })

  it.each<readonly [string, () => Response]>([
    ['a redirect, with a good set in its body', () => withStatus(302)],
    ['another status than 200, with a good set', () => withStatus(203)],
    ['more than 64 KiB', () => new Response(`{"keys":[],"x":"${'x'.repeat(65_536)}"}`)],
    ['no JSON', () => new Response('<html>')],
    ['no UTF-8', () => new Response(new Uint8Array([0x7b, 0xff]))],
    ['an empty set', () => Response.json({ keys: [] })],
    ['another status', () => Response.json({ keys: [] }, { status: 404 })],
  ])('ignore %s as a response (RFC 8725 §3.10)', async (_, answer) => {
    const { at, keys } = aKeySet(answer)

    await expect(keys.find('a')).rejects.toMatchObject(isDown)
    expect(at.requests).toBe(1)
  })

  it('stay as they were after an invalid response', async () => {
    let answer = publish('a')
    const { at, keys } = aKeySet(() => answer)
    await keys.find('a')
    answer = new Response('<html>')

    at.seconds += 299

    expect(await keys.find('a')).toBeDefined()
  })

  it('are requested without following redirects and with a time limit (RFC 8725 §3.10)', async () => {
    const { at, keys } = aKeySet(() => publish('a'))

    await keys.find('a')

    expect(at.inits[0]?.redirect).toBe('manual')
    expect(at.inits[0]?.signal).toBeInstanceOf(AbortSignal)
  })

  it('treats cached entries as outdated after the clock was set back', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds -= 3600
    await keys.find('a')

    expect(at.requests).toBe(2)
  })
})
