import { providerId } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'

import { createProviderLoad } from './provider-load.ts'
import { createWorkBudget } from './work-budget.ts'

const acme = providerId('acme')
const other = providerId('other')
const another = providerId('third')

test('processes a limited number of requests of a provider at once, and the others in order', async () => {
  const load = createProviderLoad({ requestsAtOnce: 2, bytesAtOnce: 100, totalBytesAtOnce: 1000 })
  const order: number[] = []
  const leaves = [0, 1, 2, 3].map(async (number) => {
    const leave = await load.enter(acme)
    order.push(number)
    return leave
  })

  const leaveFirst = await leaves[0]
  await leaves[1]
  expect(order).toEqual([0, 1])
  leaveFirst?.()
  leaveFirst?.()
  await leaves[2]

  expect(order).toEqual([0, 1, 2])
})

test('does not let a provider wait for the requests of another', async () => {
  const load = createProviderLoad({ requestsAtOnce: 1, bytesAtOnce: 100, totalBytesAtOnce: 1000 })
  await load.enter(acme)
  void load.enter(acme)

  expect(await load.enter(other)).toBeTypeOf('function')
})

test('refuses a request when 200 others are already waiting (RFC 6585 §4)', () => {
  const load = createProviderLoad({ requestsAtOnce: 1, bytesAtOnce: 100, totalBytesAtOnce: 1000 })
  const entered = Array.from({ length: 201 }, () => load.enter(acme))

  expect(entered.every((each) => each !== undefined)).toBe(true)
  expect(load.enter(acme)).toBeUndefined()
})

test('refuses a body that does not fit in the memory of the provider, but accepts a single large one', () => {
  const load = createProviderLoad({ requestsAtOnce: 1, bytesAtOnce: 100, totalBytesAtOnce: 1000 })

  const large = load.reserve(acme, 500)
  expect(large).toBeTypeOf('function')
  expect(load.reserve(acme, 1)).toBe('provider_full')
  expect(load.reserve(other, 100)).toBeTypeOf('function')
  if (typeof large === 'function') large()

  expect(load.reserve(acme, 60)).toBeTypeOf('function')
  expect(load.reserve(acme, 60)).toBe('provider_full')
  expect(load.reserve(acme, 40)).toBeTypeOf('function')
})

test('lets requests wait while the responses that are being sent exceed the memory of the provider', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 100, totalBytesAtOnce: 1000 })
  const sent = load.hold(acme, 101)
  let isEntered = false
  const entered = load.enter(acme)?.then(() => (isEntered = true))
  await Promise.resolve()

  expect(isEntered).toBe(false)
  sent()
  await entered

  expect(isEntered).toBe(true)
})

test('a work budget counts the work that it admits, and not the work that it refuses', () => {
  const work = createWorkBudget(10)

  expect([work.spend(6), work.spend(5), work.spend(4), work.spend(1)]).toEqual([true, false, true, false])
})

test('makes large responses of a provider one after another when they do not fit in memory together', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 100, totalBytesAtOnce: 1000 })
  const made: number[] = []
  const releases = [300, 60, 40, 1].map(async (bytes) => {
    const release = await load.waitForRoom(acme, bytes)
    made.push(bytes)
    return release
  })

  const releaseFirst = await releases[0]
  expect(made).toEqual([300])
  expect(await load.waitForRoom(other, 100)).toBeTypeOf('function')
  releaseFirst?.()
  const releaseSecond = await releases[1]
  await releases[2]
  expect(made).toEqual([300, 60, 40])
  releaseSecond?.()
  await releases[3]
  expect(made).toEqual([300, 60, 40, 1])
})

test('limits the bodies and large responses of all providers together', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 100, totalBytesAtOnce: 150 })
  const made: string[] = []
  const waitForRoom = async (provider: ProviderId, bytes: number) => {
    const release = await load.waitForRoom(provider, bytes)
    made.push(provider)
    return release
  }

  const first = await waitForRoom(acme, 100)
  const second = waitForRoom(other, 60)
  const third = waitForRoom(another, 10)
  await Promise.resolve()
  expect(made).toEqual(['acme'])
  expect(load.reserve(other, 50)).toBeTypeOf('function')
  expect(load.reserve(another, 10)).toBe('server_full')
  first?.()
  await second
  await third

  expect(made).toEqual(['acme', 'other', 'third'])
})

test('accepts a body that fills the memory of all providers, and one that does not fit if no other body is in memory', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 1000, totalBytesAtOnce: 150 })
  await load.waitForRoom(acme, 100)

  const large = load.reserve(other, 200)
  expect(large).toBeTypeOf('function')
  if (typeof large === 'function') large()

  expect(load.reserve(other, 30)).toBeTypeOf('function')
  expect(load.reserve(another, 20)).toBeTypeOf('function')
  expect(load.reserve(another, 1)).toBe('server_full')
})

test('does not let a small response overtake a large response of another provider that waits for memory', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 100, totalBytesAtOnce: 150 })
  const release = await load.waitForRoom(acme, 100)
  const made: number[] = []
  const large = load.waitForRoom(other, 90)?.then(() => made.push(90))
  const small = load.waitForRoom(another, 20)?.then(() => made.push(20))
  await Promise.resolve()
  expect(made).toEqual([])

  release?.()
  await Promise.all([large, small])

  expect(made).toEqual([90, 20])
})

test('refuses a large response when a hundred others are already waiting (RFC 9110 §15.6.4)', async () => {
  const load = createProviderLoad({ requestsAtOnce: 4, bytesAtOnce: 100, totalBytesAtOnce: 150 })
  await load.waitForRoom(acme, 100)
  const waiting = Array.from({ length: 100 }, () => load.waitForRoom(acme, 100))

  expect(waiting.every((each) => each !== undefined)).toBe(true)
  expect(load.waitForRoom(other, 100)).toBeUndefined()
})
