import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import type { ServerEvent } from '../events.ts'
import { createMemoryRateLimiter, type RateLimiter } from '../rate-limiter.ts'
import { limitSignIns } from './limit-sign-ins.ts'

const clock = () => epochSeconds(1_790_000_000)

it('refuses the eleventh attempt on an account, whether its name is in upper or lower case (RFC 6749 §10.10)', async () => {
  const attempt = limitSignIns({ clock })
  for (let tried = 0; tried < 10; tried += 1) expect(await attempt({ account: 'ada' })).toMatchObject({ allowed: true })

  expect(await attempt({ account: 'ADA', address: '203.0.113.7' })).toMatchObject({ allowed: false, retryAfter: 300 })
  expect(await attempt({ account: 'bob' })).toMatchObject({ allowed: true })
})

it('refuses an address that tries many accounts, and does not count refused attempts by account', async () => {
  const byAddress = createMemoryRateLimiter({ points: 2, window: 60 })
  const attempt = limitSignIns({ clock, byAddress })
  const address = '203.0.113.7'
  for (const account of ['a', 'b']) await attempt({ account, address })

  for (let tried = 0; tried < 20; tried += 1)
    expect(await attempt({ account: 'ada', address })).toMatchObject({ allowed: false, retryAfter: 60 })

  expect(await attempt({ account: 'ada', address: '203.0.113.8' })).toMatchObject({ allowed: true })
})

it.each([
  { first: '2001:db8::1', second: '2001:db8::ffff:65', third: '2001:db8:0:1::1' },
  { first: '203.0.113.7', second: '::ffff:203.0.113.7', third: '::ffff:203.0.113.8' },
])('counts $first and $second together, and $third separately', async ({ first, second, third }) => {
  const attempt = limitSignIns({ clock, byAddress: createMemoryRateLimiter({ points: 1, window: 60 }) })
  await attempt({ account: 'a', address: first })

  expect(await attempt({ account: 'b', address: second })).toMatchObject({ allowed: false })
  expect(await attempt({ account: 'c', address: third })).toMatchObject({ allowed: true })
})

it('keeps an account throttled when more than ten thousand names are tried without an address', async () => {
  const attempt = limitSignIns({ clock })
  for (let tried = 0; tried < 11; tried += 1) await attempt({ account: 'ada' })

  for (let name = 0; name < 10_001; name += 1) await attempt({ account: `made-up-${name}` })

  expect(await attempt({ account: 'ada' })).toMatchObject({ allowed: false })
})

it('gives the limiter a short hash of the name, in which a password is not legible', async () => {
  const keys: string[] = []
  const byAccount: RateLimiter = {
    consume: async (key) => {
      keys.push(key)
      return { allowed: true }
    },
  }
  const attempt = limitSignIns({ clock, byAccount })

  for (const account of ['correct horse', 'x'.repeat(16_000)]) await attempt({ account })

  expect(keys).toEqual([expect.stringMatching(/^account [\w-]{43}$/), expect.stringMatching(/^account [\w-]{43}$/)])
})

it('refuses a misspelled option', () => {
  const misspelled = { clock, byAdress: createMemoryRateLimiter({ points: 2, window: 60 }) }

  expect(() => limitSignIns(misspelled)).toThrow('limitSignIns: byAdress is not an option.')
})

it('admits a hundred and five users with the right password from one address, and one user who signs in fifteen times', async () => {
  const attempt = limitSignIns({ clock, onEvent: () => undefined })
  const signIn = async (account: string) => {
    const { allowed, report } = await attempt({ account, address: '10.0.0.7' })
    await report('succeeded')
    return allowed
  }
  const admitted: boolean[] = []
  for (let user = 0; user < 105; user += 1) admitted.push(await signIn(`user ${user}`))
  for (let again = 0; again < 15; again += 1) admitted.push(await signIn('ada'))

  expect(admitted.filter(Boolean)).toHaveLength(120)
})

it('throttles wrong passwords from one address, and reports each failure and each refusal with the network', async () => {
  const events: ServerEvent[] = []
  const attempt = limitSignIns({ clock, onEvent: (event) => void events.push(event) })
  for (let user = 0; user < 110; user += 1) {
    const { report } = await attempt({ account: `user ${user}`, address: '203.0.113.7' })
    await report('failed')
  }

  expect(events.filter(({ type }) => type === 'sign_in.failed')).toHaveLength(100)
  expect(events.filter(({ type }) => type === 'sign_in.throttled')).toHaveLength(10)
  expect(events[0]).toMatchObject({ type: 'sign_in.failed', network: '203.0.113.0/24' })
  expect(events.at(-1)).toMatchObject({ type: 'sign_in.throttled', limit: 'address', retryAfter: 300 })
})

it('limits guesses that are made in parallel, before any of them has an outcome', async () => {
  const attempt = limitSignIns({ clock, onEvent: () => undefined })

  const decisions = await Promise.all(Array.from({ length: 50 }, () => attempt({ account: 'ada' })))

  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10)
})

it('gives an attempt back once, and not after a failure was reported', async () => {
  const attempt = limitSignIns({ clock, onEvent: () => undefined })
  for (let guess = 0; guess < 9; guess += 1) await attempt({ account: 'ada' })
  const { report } = await attempt({ account: 'ada' })
  await report('succeeded')
  await report('succeeded')
  const { report: reportNext } = await attempt({ account: 'ada' })
  await reportNext('failed')
  await reportNext('succeeded')

  expect(await attempt({ account: 'ada' })).toMatchObject({ allowed: false })
})

it.each([
  { addresses: ['10.0.0.7'], reported: ['10.0.0.0/24'] },
  { addresses: ['::1'], reported: ['0:0:0::/48'] },
  { addresses: ['198.18.0.1', '10.0.0.8'], reported: [] },
  { addresses: ['8.8.8.8'], reported: [] },
])('reports once if all attempts come from one private address: $addresses', async ({ addresses, reported }) => {
  const networks: unknown[] = []
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'sign_in.one_address') networks.push(event.network)
  }
  const attempt = limitSignIns({ clock, onEvent })
  for (let tried = 0; tried < 50; tried += 1)
    await attempt({ account: `user ${tried}`, address: addresses[tried % addresses.length] })

  expect(networks).toEqual(reported)
})
