import type { ProvisioningHooks, ScimEvent } from '@mintmark/scim'
import type { OAuthStorage } from '@mintmark/storage-interface'

import type { Users } from '#users'

/**
 * Stores the password that a directory sets for a provisioned user. The user can then sign in with it, as
 * `directory/username`. Mintmark refuses a deactivated user, even with the right password.
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

/** Removes a user whom the directory has deleted. Otherwise a new user with the same name could not sign in. */
export const forgetRemoved =
  (users: Users) =>
  async (event: ScimEvent): Promise<void> => {
    if (event.type === 'user.removed') await users.remove(event.userId)
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
