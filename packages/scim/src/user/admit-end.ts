import type { UserRecord } from '@mintmark/storage-interface'

import type { ScimCall } from '../server/scim-call.ts'
import type { UserDependencies } from './user-dependencies.ts'

/**
 * Lets a call end an account, and counts it: the call may have to try several times, and counts once.
 * @throws ScimError 403 — reason `offboarding_held`.
 */
export async function admitEnd(user: UserRecord, call: ScimCall, { offboarding, journal }: UserDependencies): Promise<void> {
  const { providerId } = call.caller.provider
  await offboarding?.admit({
    providerId,
    user,
    attempt: call,
    now: call.now,
    held: (count) => journal.record(call.request, { type: 'offboarding.held', providerId, count }),
  })
}
