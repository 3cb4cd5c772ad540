import { epochSeconds, sessionId, userId, type UserRecord } from '@mintmark/storage-interface'
import type { BoundSession } from '@mintmark/storage-interface/stores'
import { expect, it } from 'vitest'

import { isBindingActive, isUserActive } from './status.ts'

const now = epochSeconds(1_790_000_000)
const user: UserRecord = {
  userId: userId('U1'),
  providerId: undefined,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  active: true,
  generation: 3,
  claims: {},
  createdAt: now,
  updatedAt: now,
  version: 1,
}

it('accepts an active user of the current generation (RFC 9068 §4)', () => {
  expect(isUserActive(user, 3)).toBe(true)
})

it.each<readonly [string, UserRecord | undefined, number]>([
  ['a missing user', undefined, 3],
  ['a user who is not active, in the current generation', { ...user, active: false }, 3],
  ['an older generation', user, 2],
  ['a later generation', user, 4],
  ['a row that lost its generation', { ...user, generation: undefined as never }, 3],
  ['a row that lost its active flag', { ...user, active: undefined as never }, 3],
  ['a row and a grant that both lost the generation', { ...user, generation: undefined as never }, undefined as never],
])('rejects %s (RFC 9068 §4)', (_, row, generation) => {
  expect(isUserActive(row, generation)).toBe(false)
})

const boundSessionId = sessionId('S1')
const session = { sessionId: boundSessionId, userId: user.userId, revokedAt: undefined }

it.each<readonly [string, Parameters<typeof isBindingActive>[0]['boundSessionId'], BoundSession | undefined]>([
  ['to no session', undefined, undefined],
  ['to a session that was not revoked', boundSessionId, session],
])('accepts tokens that are bound %s (OIDC Back-Channel Logout 1.0 §2.7)', (_, bound, row) => {
  expect(isBindingActive({ boundSessionId: bound, userId: user.userId }, row)).toBe(true)
})

it.each<readonly [string, BoundSession | undefined]>([
  ['a revoked session', { ...session, revokedAt: now }],
  ['a missing session', undefined],
  ["another user's session", { ...session, userId: userId('U2') }],
  ['a tombstone', { ...session, userId: undefined }],
  ['another session', { ...session, sessionId: sessionId('S2') }],
])('rejects tokens that are bound to %s (OIDC Back-Channel Logout 1.0 §2.7)', (_, row) => {
  expect(isBindingActive({ boundSessionId, userId: user.userId }, row)).toBe(false)
})
