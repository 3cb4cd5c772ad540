import { type ClientRecord, clientId, epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { createOutboundClient } from '../outbound/client.ts'
import { readKeySet, createRemoteKeySets } from './remote-key-set.ts'

const uri = 'https://client.test/jwks'
const now = epochSeconds(1000)
const keySet = { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] }

/** The key sets that a client publishes at `uri`, or at another address. */
function keySetsOver(fetch: typeof globalThis.fetch) {
  const sets = createRemoteKeySets(() => createOutboundClient(fetch))
  return {
    read: async (
      jwksUri: string,
      mode: 'cached' | 'refresh',
      at: EpochSeconds,
      origin: ClientRecord['origin'] = 'administrator',
    ) => sets.read({ clientId: clientId('C'), origin, jwksUri }, mode, at),
  }
}

const unavailable = { code: 'temporarily_unavailable', reason: 'client_keys_unavailable' }

/** Creates a `fetch` that answers with `respond` and records its calls. */
function fetching(respond: () => Response | Promise<Response>) {
  const calls: (RequestInit | undefined)[] = []
  const fetch = (_input: unknown, init?: RequestInit): Promise<Response> => {
    calls.push(init)
    return Promise.resolve(respond())
  }
  return { fetch: fetch as typeof globalThis.fetch, calls }
}

describe('the cache of published key sets', () => {
  it('does not follow redirects, and has a time limit', async () => {
    const { fetch, calls } = fetching(() => Response.json(keySet))

    await keySetsOver(fetch).read(uri, 'cached', now)

    expect(calls[0]).toMatchObject({ redirect: 'manual' })
    expect(calls[0]?.signal).toBeInstanceOf(AbortSignal)
  })

  it('shares one fetch between concurrent reads, and fetches again after ten minutes', async () => {
    const { fetch, calls } = fetching(() => Response.json(keySet))
    const sets = keySetsOver(fetch)

    await Promise.all(Array.from({ length: 50 }, () => sets.read(uri, 'cached', now)))
    await sets.read(uri, 'cached', epochSeconds(1599))
    expect(calls).toHaveLength(1)
    await sets.read(uri, 'cached', epochSeconds(1600))

    expect(calls).toHaveLength(2)
  })

  it('fetches again for an unknown key, at most once a minute', async () => {
    const { fetch, calls } = fetching(() => Response.json(keySet))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)

    await sets.read(uri, 'refresh', epochSeconds(1059))
    expect(calls).toHaveLength(1)
    await sets.read(uri, 'refresh', epochSeconds(1060))

    expect(calls).toHaveLength(2)
  })

  it("keeps a client's last keys while its server is down", async () => {
    let isDown = false
    const { fetch } = fetching(() => (isDown ? new Response('', { status: 503 }) : Response.json(keySet)))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)
    isDown = true

    expect((await sets.read(uri, 'cached', epochSeconds(1600)))?.keys).toHaveLength(1)
    expect((await sets.read(uri, 'cached', epochSeconds(4599)))?.keys).toHaveLength(1)
  })

  it('does not say that an unknown key is wrong while the server of the client is down (RFC 6749 §5.2)', async () => {
    let isDown = false
    const { fetch, calls } = fetching(() => (isDown ? new Response('', { status: 503 }) : Response.json(keySet)))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)
    isDown = true

    await expect(sets.read(uri, 'refresh', epochSeconds(1060))).rejects.toMatchObject({
      ...unavailable,
      retryAfter: 10,
    })
    await expect(sets.read(uri, 'refresh', epochSeconds(1064))).rejects.toMatchObject({ ...unavailable, retryAfter: 6 })
    expect(calls).toHaveLength(2)
    isDown = false

    expect((await sets.read(uri, 'refresh', epochSeconds(1070)))?.keys).toHaveLength(1)
  })

  it('drops the last keys for good after an hour without a response', async () => {
    let isDown = false
    const { fetch } = fetching(() => (isDown ? new Response('', { status: 503 }) : Response.json(keySet)))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)
    isDown = true
    await sets.read(uri, 'cached', epochSeconds(4000))

    await expect(sets.read(uri, 'cached', epochSeconds(4600))).rejects.toMatchObject(unavailable)
    await expect(sets.read(uri, 'cached', epochSeconds(5200))).rejects.toMatchObject(unavailable)
  })

  it("drops the last keys after exactly an hour, without another request to the client's server", async () => {
    let isDown = false
    const { fetch, calls } = fetching(() => (isDown ? new Response('', { status: 503 }) : Response.json(keySet)))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)
    isDown = true

    expect((await sets.read(uri, 'cached', epochSeconds(4599)))?.keys).toHaveLength(1)
    const requests = calls.length
    for (const time of [4600, 4601, 4608])
      await expect(sets.read(uri, 'cached', epochSeconds(time))).rejects.toMatchObject(unavailable)

    expect(calls).toHaveLength(requests)
    isDown = false
    expect((await sets.read(uri, 'cached', epochSeconds(4609)))?.keys).toHaveLength(1)
  })

  it.each([404, 410])('drops the keys of a client whose server responds with %i', async (status) => {
    let isGone = false
    const { fetch } = fetching(() => (isGone ? new Response('', { status }) : Response.json(keySet)))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now)
    isGone = true

    expect(await sets.read(uri, 'refresh', epochSeconds(1060))).toBeUndefined()
  })

  it.each([
    ['a status that is not 200', () => new Response('{}', { status: 500 })],
    ['a body that is not JSON', () => new Response('<html>')],
    ['an object without keys', () => Response.json({})],
    ['more than 64 KiB', () => new Response(JSON.stringify({ keys: [], pad: 'x'.repeat(65_536) }))],
    ['too many keys', () => Response.json({ keys: Array.from({ length: 101 }, () => keySet.keys[0]) })],
    ['a connection that fails', () => Promise.reject(new TypeError('fetch failed'))],
  ])('does not accept %s as a key set', async (_case, respond) => {
    const { fetch } = fetching(respond)

    await expect(keySetsOver(fetch).read(uri, 'cached', now)).rejects.toMatchObject(unavailable)
  })

  it('removes the key sets that were fetched first when clients publish more than a thousand', async () => {
    const { fetch, calls } = fetching(() => Response.json(keySet))
    const sets = keySetsOver(fetch)
    const read = (index: number) => sets.read(`https://client-${index}.test/jwks`, 'cached', now)

    for (let index = 0; index <= 1000; index += 1) await read(index)
    await read(1)
    await read(1000)
    expect(calls).toHaveLength(1001)
    await read(0)

    expect(calls).toHaveLength(1002)
  })

  it.each([
    ['document', 'registration'],
    ['document', 'administrator'],
    ['registration', 'administrator'],
  ] as const)('of clients with origin %s cannot push out that of clients with origin %s', async (some, other) => {
    const { fetch, calls } = fetching(() => Response.json(keySet))
    const sets = keySetsOver(fetch)
    await sets.read(uri, 'cached', now, other)

    for (let n = 0; n < 1001; n += 1) await sets.read(`${uri}/${n}`, 'cached', now, some)
    await sets.read(uri, 'cached', now, other)

    expect(calls).toHaveLength(1002)
  })

  it('drops list entries that are not keys', () => {
    expect(readKeySet({ keys: [keySet.keys[0], null, 'x', { kty: 5 }] })?.keys).toHaveLength(1)
  })
})
