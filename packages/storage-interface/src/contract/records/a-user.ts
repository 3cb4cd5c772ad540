import { userId } from '../../identifiers.ts'
import type { NewUser } from '../../user.ts'
import { now } from './moments.ts'

/** A new account. The store makes it active, of generation 0 and version 1. */
export const aUser = (overrides: Partial<NewUser> = {}): NewUser => ({
  userId: userId('user-1'),
  claims: {
    name: 'Ada Example',
    given_name: 'Ada',
    family_name: 'Example',
    email: 'ada@example.com',
    email_verified: true,
  },
  createdAt: now,
  ...overrides,
})
