import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { createRemoteKeySet, type KeySet } from './key-set.ts'

let jwk: object
beforeAll(async () => {
  jwk = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), alg: 'ES256' }
})

/** Creates a key set for a server whose responses the test defines, with a clock that the test sets. */
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

const unavailable = { code: 'temporarily_unavailable', reason: 'authorization_server_unavailable' }

describe('the keys of an authorization server', () => {
  it('are fetched once for simultaneous requests', async () => {
    const { at, keys } = aKeySet(() => publish('a'))

    const found = await Promise.all(Array.from({ length: 50 }, () => keys.find('a')))

    expect(found.every((key) => key?.algorithm === 'ES256')).toBe(true)
    expect(at.requests).toBe(1)
  })

  it('are used for five minutes, and fetched again in the background after four', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds += 239
    await keys.find('a')
    const requestsBefore = at.requests
    at.seconds += 1
    await keys.find('a')

    expect([requestsBefore, at.requests]).toEqual([1, 2])
  })

  it('are fetched at most once in thirty seconds for unknown names (RFC 8725 §3.10)', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds += 31
    for (let count = 0; count < 100; count += 1) await keys.find(`invented-${count}`)
    await Promise.all(Array.from({ length: 100 }, (_, count) => keys.find(`again-${count}`)))

    expect(at.requests).toBe(2)
  })

  it('include a new key before five minutes have passed (OIDC Core §10.1.1)', async () => {
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
    'are used for less than five minutes when a shared cache stored them first: Age %j (RFC 9111 §4.2.3)',
    async (age) => {
      let isUp = true
      const { at, keys } = aKeySet(() => (isUp ? withAge(age) : new Response(null, { status: 503 })))
      await keys.find('a')
      isUp = false

      at.seconds += 119

      expect(await keys.find('a')).toBeDefined()
      at.seconds += 1
      await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    },
  )

  it('are not used if they are five minutes old in a shared cache, and are fetched again after five seconds', async () => {
    let age = '300'
    const { at, keys } = aKeySet(() => withAge(age))

    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    expect(at.requests).toBe(1)
    age = '299'
    at.seconds += 5

    expect(await keys.find('a')).toBeDefined()
  })

  it('are available in every second when a shared cache respects max-age', async () => {
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

  it('are not replaced by an older copy from a shared cache', async () => {
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
    'are treated as new when Age is not a number of seconds: %j (RFC 9111 §5.1)',
    async (age) => {
      const { at, keys } = aKeySet(() => withAge(age))
      await keys.find('a')

      at.seconds += 239
      await keys.find('a')

      expect(at.requests).toBe(1)
    },
  )

  it('are not used for longer while the server is unreachable, because it may have dropped a key (OIDC Core §10.1.1)', async () => {
    let isUp = true
    const { at, keys } = aKeySet(() => (isUp ? publish('a') : new Response(null, { status: 503 })))
    await keys.find('a')
    isUp = false

    at.seconds += 299
    const early = await Promise.all([keys.find('a'), keys.find('a')])
    at.seconds += 1

    expect(early.every((key) => key !== undefined)).toBe(true)
    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    expect(at.requests).toBe(2)
    at.seconds += 5
    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    expect(at.requests).toBe(3)
  })

  it('lead to 503 when they could never be fetched', async () => {
    const { at, keys } = aKeySet(() => Promise.reject(new Error('refused')))

    await expect(keys.find('a')).rejects.toMatchObject({
      ...unavailable,
      cause: { message: expect.stringContaining('did not answer') as string, cause: new Error('refused') },
    })
    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    expect(at.requests).toBe(1)
  })

  it('are fetched again five seconds after a failed attempt', async () => {
    let isUp = false
    const { at, keys } = aKeySet(() => (isUp ? publish('a') : new Response(null, { status: 500 })))
    await keys.find('a').catch(() => undefined)
    isUp = true

    at.seconds += 5

    expect(await keys.find('a')).toBeDefined()
  })

  it.each<readonly [string, () => Response]>([
    ['a redirect with a valid key set in its body', () => withStatus(302)],
    ['a status other than 200 with a valid key set', () => withStatus(203)],
    ['a response of more than 64 KiB', () => new Response(`{"keys":[],"x":"${'x'.repeat(65_536)}"}`)],
    ['a response that is not JSON', () => new Response('<html>')],
    ['a response that is not UTF-8', () => new Response(new Uint8Array([0x7b, 0xff]))],
    ['an empty key set', () => Response.json({ keys: [] })],
    ['the status 404', () => Response.json({ keys: [] }, { status: 404 })],
  ])('are not read from %s', async (_, answer) => {
    const { at, keys } = aKeySet(answer)

    await expect(keys.find('a')).rejects.toMatchObject(unavailable)
    expect(at.requests).toBe(1)
  })

  it('stay in use after an invalid response', async () => {
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

  it('are fetched again after the clock was set back', async () => {
    const { at, keys } = aKeySet(() => publish('a'))
    await keys.find('a')

    at.seconds -= 3600
    await keys.find('a')

    expect(at.requests).toBe(2)
  })
})
