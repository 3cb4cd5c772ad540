import type { ProvisioningHooks, ScimEvent } from '@mintmark/scim'
import type { OAuthStorage } from '@mintmark/storage-interface'

import type { People } from './people.ts'

/**
 * A password that the directory set, for a person whom it provisioned: from now on they can sign in here with it. Who
 * is deactivated there cannot, because Mintmark asks nobody for a password then.
 */
export const keepPassword =
  (people: People, storage: OAuthStorage): NonNullable<ProvisioningHooks['password']> =>
  async ({ userId, password }) => {
    const account = await storage.users.find(userId)
    const claim = (name: string): string => textOf(account?.claims[name])
    const username = claim('preferred_username').toLowerCase()
    await people.put({
      subject: userId,
      username,
      email: claim('email').toLowerCase() || username,
      givenName: claim('given_name') || username,
      familyName: claim('family_name'),
      password,
    })
  }

/**
 * Whom the directory deletes is gone from here too: with a name that nobody can use, whoever comes back as a new person
 * could not sign in.
 */
export const forgetRemoved =
  (people: People) =>
  (event: ScimEvent): void => {
    if (event.type === 'user.removed') people.remove(event.userId)
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
