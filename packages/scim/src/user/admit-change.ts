import type { UserRecord } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { AccountWriter } from './account-writer.ts'
import type { ProposedChange, UserDependencies } from './user-dependencies.ts'

/** Who writes, and with what. */
export interface WriteContext {
  readonly writer: AccountWriter
  readonly deps: UserDependencies
}

/**
 * Lets a provider change or end an account: the host may protect it, and accounts that end are counted, once for each writer, however
 * often it has to try.
 * @throws ScimError 403 — reasons `change_refused`, `offboarding_held`.
 */
export async function admitChange(
  user: UserRecord,
  kind: ProposedChange['kind'],
  { writer, deps }: WriteContext,
): Promise<void> {
  const { providerId, now, record } = writer
  const isAllowed = (await deps.hooks.mayChange?.({ providerId, userId: user.userId, kind })) ?? true
  // RFC 7644 §3.12, 403: the host protects this account.
  if (!isAllowed) throw refusal('change_refused')

  if (kind !== 'deactivate' && kind !== 'remove') return
  const held = (count: number): void => record({ type: 'offboarding.held', providerId, count })
  await deps.offboarding?.admit({ providerId, user, attempt: writer, now, held })
}
