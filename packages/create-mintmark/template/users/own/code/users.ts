import { createHash, timingSafeEqual } from 'node:crypto'

import type { AuthorizationServerOptions } from '@mintmark/core'

import { claimsOf, type SignInUsers, type User } from '#user'

/** Your users: what signing in needs, and whether a user may still sign in. */
export interface Users extends SignInUsers {
  /** Whether the user is active. If you return false, all sessions and grants of the user are revoked. */
  isActive(subject: string): Promise<boolean>
}

/**
 * Connects your user table. Replace the body of each function by a query of your table, with your own client or ORM.
 * Until then there is one user, `ann`, whose password is SAMPLE_PASSWORD in .env.
 */
export async function openUsers({ environment }: { readonly environment: Environment }): Promise<Users> {
  const samplePassword = environment['SAMPLE_PASSWORD'] ?? ''

  const users: Users = {
    // SELECT … WHERE id = subject. The subject is your primary key as text: it never changes.
    find: async (subject) => (subject === sample.subject ? sample : undefined),

    // SELECT … WHERE lower(username) = lower(name) OR lower(email) = lower(name).
    findByName: async (name) => ([sample.username, sample.email].includes(name.toLowerCase()) ? sample : undefined),

    // Compare with your password hash, by the function that has made it. Take the same time for an unknown user.
    async verify({ username, password }) {
      const isRight = samplePassword !== '' && timingSafeEqual(digest(password), digest(samplePassword))
      const user = await users.findByName(username)
      return isRight ? user : undefined
    },

    // For example `disabled_at IS NULL`.
    isActive: async () => true,
  }
  return users
}

type Environment = Readonly<Record<string, string | undefined>>

/** Stands for your table. */
const sample: User = {
  subject: 'user-1',
  username: 'ann',
  email: 'ann@example.com',
  givenName: 'Ann',
  familyName: 'Lee',
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The option `users` of Mintmark: which users exist, whether they are active, and their claims. */
export const toHostUsers = (users: Users): NonNullable<AuthorizationServerOptions['users']> => ({
  async find(subject) {
    const user = await users.find(subject)
    return user && { active: await users.isActive(subject), claims: claimsOf(user) }
  },
})
