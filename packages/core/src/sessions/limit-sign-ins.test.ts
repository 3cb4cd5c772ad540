import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

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
