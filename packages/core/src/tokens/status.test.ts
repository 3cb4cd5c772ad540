import { epochSeconds, userId, type UserRecord } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { isUserActive } from './status.ts'

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
