import type { ProvisioningHooks, ScimEvent } from '@mintmark/scim'
import type { OAuthStorage } from '@mintmark/storage-interface'

import type { Users } from './users.ts'

/**
 * Stores a password that a directory sets for a user whom it provisions, so that the user can sign in with it, under the
 * name of the directory. A user whom the directory deactivates cannot sign in, because Mintmark refuses them.
 */
export const keepPassword =
  (users: Users, storage: OAuthStorage): NonNullable<ProvisioningHooks['password']> =>
  async ({ userId, password }) => {
    const account = await storage.users.find(userId)
    const claim = (name: string): string => textOf(account?.claims[name])
    const username = claim('preferred_username').toLowerCase()
    await users.put({
      subject: userId,
      directory: account?.providerId ?? '',
      username,
      email: claim('email').toLowerCase() || username,
      givenName: claim('given_name') || username,
      familyName: claim('family_name'),
      password,
    })
  }

/** Removes a user whom the directory deletes. Otherwise a new user with the same name could not sign in. */
export const forgetRemoved =
  (users: Users) =>
  (event: ScimEvent): void => {
    if (event.type === 'user.removed') users.remove(event.userId)
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
