import { createMemoryRateLimiter, type RateLimiter } from '@mintmark/core'
import { seconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import { startScim } from '../fixtures/scim-under-test.ts'

const twoPerMinute = () => createMemoryRateLimiter({ points: 2, window: seconds(60) })
const ann = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ann' }

describe('a request limit', () => {
  test('every response contains the remaining quota, including refusals', async () => {
    const scim = await startScim({ requestLimit: twoPerMinute() })

    const found = await scim.send({ path: '/Users' })
    scim.clock.advance(10)
    const missing = await scim.send({ path: '/Users/nobody' })

    expect([found.status, Object.fromEntries(found.headers)]).toMatchObject([200, quota('1', '60')])
    expect([missing.status, Object.fromEntries(missing.headers)]).toMatchObject([404, quota('0', '50')])
  })

  test('limits a provider to 12,000 requests per minute by default, without quota headers below the limit (RFC 6585 §4)', async () => {
    const scim = await startScim()
    const statuses = new Map<number, number>()
    for (let number = 0; number < 12_001; number += 1) {
      const { status } = await scim.send({ path: '/nothing' })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const other = await scim.send({ path: '/Users', provider: 'T2' })

    expect([...statuses]).toEqual([
      [404, 12_000],
      [429, 1],
    ])
    expect(scim.lastReason()).toBe('too_many_requests')
    expect([other.status, other.headers.has('x-rate-limit-limit')]).toEqual([200, false])
  })

  test('a request beyond the limit changes nothing and is a SCIM error with Retry-After (RFC 6585 §4)', async () => {
    const scim = await startScim({ requestLimit: twoPerMinute() })
    await scim.send({ path: '/Users' })
    await scim.send({ path: '/Users' })

    const refused = await scim.send({ method: 'POST', path: '/Users', body: ann })
    const reason = scim.lastReason()
    scim.clock.advance(60)
    const listed = await scim.send({ path: '/Users' })

    expect(reason).toBe('too_many_requests')
    expect(refused).toMatchObject({ status: 429, body: { status: '429' } })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      ...quota('0', '60'),
      'retry-after': '60',
      'x-rate-limit-retry-after-seconds': '60',
    })
    expect(listed.body).toMatchObject({ totalResults: 0 })
  })

  test('each operation of a Bulk request counts, and nothing runs when they exceed the limit (RFC 6585 §4)', async () => {
    const scim = await startScim({ requestLimit: createMemoryRateLimiter({ points: 4, window: seconds(60) }) })
    const bulk = (names: readonly string[]) =>
      scim.send({
        method: 'POST',
        path: '/Bulk',
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
          Operations: names.map((userName) => ({
            method: 'POST',
            path: '/Users',
            bulkId: userName,
            data: { ...ann, userName },
          })),
        },
      })

    const done = await bulk(['ann', 'bob'])
    const refused = await bulk(['cyd', 'dee', 'eve'])
    const reason = scim.lastReason()
    scim.clock.advance(60)
    const listed = await scim.send({ path: '/Users' })

    expect(done.status).toBe(200)
    expect([refused.status, reason]).toEqual([429, 'too_many_requests'])
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(listed.body).toMatchObject({ totalResults: 2 })
  })

  test.each([
    [0, [1]],
    [1, [1]],
    [3, [1, 2]],
  ])('a Bulk request of %d operations takes the points %j (RFC 6585 §4)', async (size, expected) => {
    const taken: (number | undefined)[] = []
    const consume: RateLimiter['consume'] = async (_key, _now, points) => {
      taken.push(points)
      return { allowed: true }
    }
    const scim = await startScim({ requestLimit: { consume } })

    const { status } = await scim.send({
      method: 'POST',
      path: '/Bulk',
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: Array.from({ length: size }, () => ({ method: 'DELETE', path: '/Users/nobody' })),
      },
    })

    expect([status, taken]).toEqual([200, expected])
  })

  test('neither unauthenticated requests nor other providers use the quota of a provider', async () => {
    const scim = await startScim({ requestLimit: twoPerMinute() })
    for (let guess = 0; guess < 3; guess += 1)
      await scim.send({ path: '/Users', authorization: `Bearer guess-${guess}` })
    for (let call = 0; call < 3; call += 1) await scim.send({ path: '/Users', provider: 'T2' })

    const own = await scim.send({ path: '/Users' })

    expect(own.status).toBe(200)
    expect(own.headers.get('x-rate-limit-remaining')).toBe('1')
  })

  test('responds with 503 and writes nothing while the rate limiter fails', async () => {
    const answers = [Promise.reject(new StorageUnavailableError('down')), Promise.resolve({ allowed: true } as const)]
    const scim = await startScim({ requestLimit: { consume: () => answers.shift() ?? never() } })

    const refused = await scim.send({ method: 'POST', path: '/Users', body: ann })
    const reason = scim.lastReason()
    const listed = await scim.send({ path: '/Users' })

    expect([refused.status, reason]).toEqual([503, 'storage_unavailable'])
    expect(listed.body).toMatchObject({ totalResults: 0 })
  })

  test('without the option requestLimit, responses have no rate limit headers', async () => {
    const scim = await startScim()

    const { headers } = await scim.send({ path: '/Users' })

    expect([...headers.keys()].filter((name) => name.includes('rate'))).toEqual([])
  })
})

const never = (): never => {
  throw new Error('The rate limiter was called too often.')
}

const quota = (remaining: string, reset: string) => ({
  'x-rate-limit-limit': '2',
  'x-rate-limit-remaining': remaining,
  'x-rate-limit-reset': reset,
})

describe('limits', () => {
  test('all operations of a Bulk request share one budget of work (RFC 7644 §3.7.4)', async () => {
    const scim = await startScim({ limits: { work: 10 } })
    const created = await scim.send({ method: 'POST', path: '/Users', body: ann })
    const group = await scim.send({
      method: 'POST',
      path: '/Groups',
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: 'All',
        members: [{ value: created.body?.['id'] }],
      },
    })
    const remove = {
      method: 'PATCH',
      path: `/Groups/${group.body?.['id'] as string}`,
      data: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'remove', path: 'members[value sw "zz"]' }],
      },
    }

    const answer = await scim.send({
      method: 'POST',
      path: '/Bulk',
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: Array.from({ length: 10 }, () => remove),
      },
    })

    const operations = answer.body?.['Operations'] as readonly { readonly status: string }[]
    expect(operations.map(({ status }) => status)).toEqual([
      ...Array<string>(4).fill('200'),
      ...Array<string>(6).fill('413'),
    ])
    expect(scim.lastReason()).toBe('operations_too_many')
  })

  test('refuses a user that is larger than the limit with 413, and does not store it (RFC 9110 §15.5.14)', async () => {
    const scim = await startScim({ limits: { resourceBytes: 500 } })

    const refused = await scim.send({ method: 'POST', path: '/Users', body: { ...ann, title: 'é'.repeat(250) } })
    const reason = scim.lastReason()
    const listed = await scim.send({ path: '/Users' })

    expect([refused.status, reason]).toEqual([413, 'resource_too_large'])
    expect(listed.body).toMatchObject({ totalResults: 0 })
  })

  test.each([{ payloadBytes: 0 }, { work: 1.5 }, { requests: 4 }])(
    'refuses to start with the limits %o',
    async (limits) => {
      await expect(startScim({ limits })).rejects.toThrow('limits.')
    },
  )
})
