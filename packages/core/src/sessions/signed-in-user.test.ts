import { epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { identifyUser, loginOf, recallUser, type SignedIn } from './signed-in-user.ts'

const now = epochSeconds(1_790_000_000)

async function aStorageWithOneUser() {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: now })
  return storage
}

it.each([0, now - 5, now - 0.5, now, now + 60])(
  'accepts %d as the time of a sign-in (OIDC Core §2)',
  async (authTime) => {
    const signedInUser = await identifyUser({ subject: 'U1', authTime }, now, await aStorageWithOneUser())

    expect(signedInUser?.authentication.authTime).toBe(Math.trunc(authTime))
  },
)

it.each([now * 1000, now + 61, now + 3600, Number.NaN, Infinity])(
  'refuses %d as the time of a sign-in, because max_age would never be exceeded (OIDC Core §3.1.2.1)',
  async (authTime) => {
    const storage = await aStorageWithOneUser()

    await expect(identifyUser({ subject: 'U1', authTime }, now, storage)).rejects.toThrow('authTime must be')
  },
)

it('keeps the time of the sign-in when the host no longer names the session (OIDC Core §2)', async () => {
  const storage = await aStorageWithOneUser()
  const signedIn = { subject: 'U1', authTime: now - 60, sessionId: 'S1' }
  const signedInUser = await identifyUser(signedIn, now, storage)
  if (signedInUser === undefined) throw new Error('The user was not identified.')

  const later = { subject: 'U1', authTime: now }
  const visit = { signedIn: later, isFromSession: false, now }
  const recalled = await recallUser(loginOf(signedInUser, signedIn), visit, storage)

  expect(recalled?.authentication).toEqual(signedInUser.authentication)
})

it.each([1, 255])('accepts a sessionId of %d characters', async (length) => {
  const signedIn = { subject: 'U1', authTime: now, sessionId: 's'.repeat(length) }

  const signedInUser = await identifyUser(signedIn, now, await aStorageWithOneUser())

  expect(signedInUser?.authentication.sessionId).toBe(signedIn.sessionId)
})

it.each<readonly [string, object]>([
  ['subject', { subject: 5 }],
  ['subject', { subject: '' }],
  ['authTime', { authTime: String(now) }],
  ['authTime', { authTime: null }],
  ['authTime', { authTime: -1 }],
  ['amr', { amr: 'pwd' }],
  ['amr', { amr: [null] }],
  ['acr', { acr: null }],
  ['sessionId', { sessionId: null }],
  ['location', { location: {} }],
])(
  'refuses a session whose %s has another type (%j), because tokens and storage would contain it',
  async (name, change) => {
    const signedIn: SignedIn = { subject: 'U1', authTime: now, ...change }

    await expect(identifyUser(signedIn, now, await aStorageWithOneUser())).rejects.toThrow(`SignedIn: ${name} must be`)
  },
)

it.each([0, 256])('refuses a sessionId of %d characters', async (length) => {
  const signedIn = { subject: 'U1', authTime: now, sessionId: 's'.repeat(length) }

  await expect(identifyUser(signedIn, now, await aStorageWithOneUser())).rejects.toThrow('sessionId must be')
})
