import { randomBytes } from 'node:crypto'

import { epochSeconds, userId, type OAuthStorage } from '@mintmark/storage-interface'

import { claimsOf } from '#user'
import type { Users } from '#users'

interface FirstUser {
  readonly users: Users
  readonly storage: OAuthStorage
  readonly print: (line: string) => void
}

/** Creates the user `ann`, unless the table has users, and prints the password. Mintmark gets a row for each user. */
export async function createFirstUser({ users, storage, print }: FirstUser): Promise<void> {
  if ((await users.list()).length === 0) {
    const password = randomBytes(10).toString('hex')
    await users.add({ givenName: 'Ann', familyName: 'Lee', email: 'ann@example.com', username: 'ann', password })
    print(`Sign in as      ann / ${password}`)
  }
  for (const user of await users.list()) {
    // Mintmark already has the users whom a directory provisioned.
    if (user.directory !== '') continue
    const createdAt = epochSeconds(Date.now() / 1000)
    await storage.users.insert({ userId: userId(user.subject), claims: claimsOf(user), createdAt })
  }
}
