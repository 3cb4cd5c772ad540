import { epochSeconds, userId, type JsonObject, type OAuthStorage } from '@mintmark/storage-interface'

import type { NewUser, Users, User } from './starter.ts'

/** The users of the example. */
export const demoUsers: readonly NewUser[] = [
  { username: 'ada', password: 'engine', email: 'ada@example.org', givenName: 'Ada', familyName: 'Lovelace' },
  { username: 'grace', password: 'compiler', email: 'grace@example.org', givenName: 'Grace', familyName: 'Hopper' },
  { username: 'alan', password: 'machine', email: 'alan@example.org', givenName: 'Alan', familyName: 'Turing' },
]

/** Returns whether a user is the administrator of this host. A real host would store this in its user table. */
export const isAdministrator = ({ username }: User): boolean => username === 'ada'

/** Adds the demo users if the table is empty. @returns whether it was empty. */
export async function seedUsers(users: Users): Promise<boolean> {
  if ((await users.list()).length > 0) return false
  for (const user of demoUsers) await users.add(user)
  return true
}

/**
 * Creates a Mintmark user for each of the host's users, with the claims for tokens and userinfo. Existing users are not
 * changed.
 */
export async function createMintmarkUsers(users: Users, storage: OAuthStorage): Promise<void> {
  const createdAt = epochSeconds(Date.now() / 1000)
  for (const user of await users.list()) {
    await storage.users.insert({ userId: userId(user.subject), claims: claimsOf(user), createdAt })
  }
}

/** Returns the user's claims, with the names of OpenID Connect Core §5.1. */
const claimsOf = (user: User): JsonObject => ({
  name: `${user.givenName} ${user.familyName}`,
  given_name: user.givenName,
  family_name: user.familyName,
  preferred_username: user.username,
  email: user.email,
  email_verified: true,
})
