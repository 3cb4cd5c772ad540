import { describe, expect, it } from 'vitest'

import type { JsonObject } from './http-client.ts'
import { createIntrospectionCache } from './introspection.ts'

/** Creates a cache for an authorization server that knows some tokens, with a clock that the test sets. */
function aCache(known: Record<string, JsonObject> = {}) {
  const at = { seconds: 1000, requestedTokens: [] as string[], isDown: false }
  const requestIntrospection = async (token: string): Promise<JsonObject | undefined> => {
    at.requestedTokens.push(token)
    if (at.isDown) throw new Error('down')
    return known[token]
  }
  return {
    at,
    known,
    cached: createIntrospectionCache(requestIntrospection, { cacheFor: 5000, clock: () => at.seconds * 1000 }),
  }
}

const activeUntil = (exp: number): JsonObject => ({ active: true, exp })

describe('the introspection cache', () => {
  it('keeps responses for the configured time, for active and inactive tokens alike (RFC 7662 §4)', async () => {
    const { at, cached } = aCache({ good: activeUntil(2000) })

    for (const later of [0, 2, 2.9]) {
      at.seconds += later
      expect([await cached('good'), await cached('bad')]).toEqual([activeUntil(2000), undefined])
    }
    const before = at.requestedTokens.length
    at.seconds += 0.1
    await cached('good')
    await cached('bad')

    expect([before, at.requestedTokens.length]).toEqual([2, 4])
  })

  it('keeps the response for an active token only until the token expires (RFC 7662 §4)', async () => {
    const { at, cached } = aCache({ good: activeUntil(1002) })
    await cached('good')

    at.seconds += 2
    await cached('good')

    expect(at.requestedTokens).toHaveLength(2)
  })

  it('sends one request for simultaneous lookups of one token', async () => {
    const { at, cached } = aCache({ good: activeUntil(2000) })

    const answers = await Promise.all(Array.from({ length: 20 }, () => cached('good')))

    expect(new Set(answers).size).toBe(1)
    expect(at.requestedTokens).toHaveLength(1)
  })

  it('never returns the response for another token', async () => {
    const { cached } = aCache({ one: { active: true, sub: '1' }, two: { active: true, sub: '2' } })

    for (let round = 0; round < 10_000; round += 1) {
      const [one, two] = await Promise.all([cached('one'), cached('two')])
      if (one?.['sub'] !== '1' || two?.['sub'] !== '2') throw new Error('mixed')
    }
  })

  it('does not cache a failure', async () => {
    const { at, cached } = aCache({ good: activeUntil(2000) })
    at.isDown = true
    await expect(cached('good')).rejects.toThrow('down')
    at.isDown = false

    expect(await cached('good')).toEqual(activeUntil(2000))
  })

  it('treats a token such as __proto__ like any other', async () => {
    const { at, cached } = aCache(Object.create(null) as Record<string, JsonObject>)

    for (const token of ['__proto__', 'constructor', 'toString']) expect(await cached(token)).toBeUndefined()
    expect(at.requestedTokens).toHaveLength(3)
  })

  it('limits inactive tokens separately, so that invented tokens do not evict active ones', async () => {
    const { at, cached } = aCache({ good: activeUntil(2000) })
    await cached('good')
    await cached('first')

    for (let count = 0; count < 10_000; count += 1) await cached(`invented-${count}`)
    at.requestedTokens.splice(0)
    await cached('good')
    await cached('invented-9999')
    await cached('first')

    expect(at.requestedTokens).toEqual(['first'])
  })

  it('treats cached entries as outdated after the clock was set back', async () => {
    const { at, cached } = aCache({ good: activeUntil(2000) })
    await cached('good')

    at.seconds -= 600
    await cached('good')

    expect(at.requestedTokens).toHaveLength(2)
  })
})
