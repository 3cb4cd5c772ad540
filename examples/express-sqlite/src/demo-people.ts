import { epochSeconds, userId, type JsonObject, type OAuthStorage } from '@mintmark/storage-interface'

import type { NewPerson, People, Person } from './starter/people.ts'

/** Who can sign in to the example. */
export const demoPeople: readonly NewPerson[] = [
  { username: 'ada', password: 'engine', email: 'ada@example.org', givenName: 'Ada', familyName: 'Lovelace' },
  { username: 'grace', password: 'compiler', email: 'grace@example.org', givenName: 'Grace', familyName: 'Hopper' },
  { username: 'alan', password: 'machine', email: 'alan@example.org', givenName: 'Alan', familyName: 'Turing' },
]

/** Whether a person administers this host. A larger one would keep it in its table of people. Usernames there are unique. */
export const isAdministrator = ({ username }: Person): boolean => username === 'ada'

/** Fills an empty table. @returns whether it was empty. */
export async function seedPeople(people: People): Promise<boolean> {
  if (people.list().length > 0) return false
  await people.add(demoPeople)
  return true
}

/**
 * Gives each of the host's people an account at Mintmark: what tokens and userinfo may say about them. An account that is
 * there already stays as it is.
 */
export async function provisionAccounts(people: People, storage: OAuthStorage): Promise<void> {
  const createdAt = epochSeconds(Date.now() / 1000)
  for (const person of people.list()) {
    await storage.users.insert({ userId: userId(person.subject), claims: claimsOf(person), createdAt })
  }
}

/** Names of OpenID Connect Core §5.1. */
const claimsOf = (person: Person): JsonObject => ({
  name: `${person.givenName} ${person.familyName}`,
  given_name: person.givenName,
  family_name: person.familyName,
  preferred_username: person.username,
  email: person.email,
  email_verified: true,
})
