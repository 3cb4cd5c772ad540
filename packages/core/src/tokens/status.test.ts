import { epochSeconds, userId, type UserRecord } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { isUserActive } from './status.ts'

const now = epochSeconds(1_790_000_000)
const account: UserRecord = {
  userId: userId('U1'),
  active: true,
  generation: 3,
  claims: {},
  createdAt: now,
  updatedAt: now,
  version: 1,
}

it('accepts an active user of the current generation (RFC 9068 §4)', () => {
  expect(isUserActive(account, 3)).toBe(true)
})

it.each<readonly [string, UserRecord | undefined, number]>([
  ['an account that is not there', undefined, 3],
  ['an account that is not active, in its own generation', { ...account, active: false }, 3],
  ['an older generation', account, 2],
  ['a later generation, which no account has yet', account, 4],
  ['a row that lost its generation', { ...account, generation: undefined as never }, 3],
  ['a row that lost whether it is active', { ...account, active: undefined as never }, 3],
  [
    'a row and a grant that both lost the generation',
    { ...account, generation: undefined as never },
    undefined as never,
  ],
])('rejects %s (RFC 9068 §4)', (_, user, generation) => {
  expect(isUserActive(user, generation)).toBe(false)
})
