import type { EpochSeconds, ScimStorage, UserId } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { isEnabled } from './authenticate-provider.ts'

/** The user whom a write has just made active. */
interface ActivatedUser {
  readonly providerId: ProviderId
  readonly userId: UserId
  readonly now: EpochSeconds
}

/**
 * Deactivates a user again if the provider is no longer enabled, and blocks the user so that no provider can reactivate
 * them. Call it after every write that makes a user active: the write may have begun while the provider was enabled, and
 * ended after an administrator disabled the provider and deactivated its users.
 * @throws ScimError 401 — reason `provider_disabled`.
 */
export async function blockUnlessEnabled(
  { providerId, userId, now }: ActivatedUser,
  storage: Pick<ScimStorage, 'identityProviders' | 'users'>,
): Promise<void> {
  if (await isEnabled(providerId, storage)) return
  await storage.users.deactivate(userId, now)
  throw refuse('provider_disabled')
}
