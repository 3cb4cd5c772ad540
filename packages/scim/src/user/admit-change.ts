import type { UserRecord } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ScimCall } from '../server/scim-call.ts'
import type { ProposedChange, UserDependencies } from './user-dependencies.ts'

/**
 * Lets a call change or end an account: the host may protect it, and accounts that end are counted, once for each call, however often
 * it has to try.
 * @throws ScimError 403 — reasons `change_refused`, `offboarding_held`.
 */
export async function admitChange(
  user: UserRecord,
  kind: ProposedChange['kind'],
  { call, deps: { hooks, offboarding, journal } }: { readonly call: ScimCall; readonly deps: UserDependencies },
): Promise<void> {
  const { providerId } = call.caller.provider
  const isAllowed = (await hooks.mayChange?.({ providerId, userId: user.userId, kind })) ?? true
  // RFC 7644 §3.12, 403: the host protects this account.
  if (!isAllowed) throw refusal('change_refused')

  if (kind !== 'deactivate' && kind !== 'remove') return
  await offboarding?.admit({
    providerId,
    user,
    attempt: call,
    now: call.now,
    held: (count) => journal.record(call.request, { type: 'offboarding.held', providerId, count }),
  })
}
