import {
  untilSettled,
  type JsonObject,
  type ProvisionedState,
  type ProvisionedUserRecord,
  type ProvisionOutcome,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { admitEnd } from './admit-end.ts'
import { endedAccess } from '../event/ended-access.ts'
import { sameValue } from '../json/same-value.ts'
import { requireMatch } from '../message/preconditions.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { findUser } from './find-user.ts'
import { userVersion } from './render-user.ts'
import { userDocument } from './user-document.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { userState } from './user-state.ts'

/**
 * Changes an account as a whole, in one compare-and-swap (RFC 7644 §3.5). When another writer was faster the change is made
 * again on what they left, unless the caller has named the version it means.
 * @param change makes the new document from the one that is there; it may throw, and then nothing is written.
 * @throws ScimError 404 — reason `resource_not_found`; 412 — reason `version_mismatch`; 403 — reasons of `replaceState`; 409 — reasons
 * `user_name_taken`, `external_id_taken`; and whatever `change` throws.
 */
export function writeUser(
  call: ScimCall,
  change: (document: JsonObject) => JsonObject,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord> {
  return untilSettled(async () => {
    const user = await findUser(call, deps)
    requireMatch(call.request, userVersion(user))
    const document = userDocument(user)
    const changed = change(document)
    const { state, password } = userState(changed, user, deps)
    if (isSame(user, state)) {
      if (password !== undefined) await deps.hooks.password?.({ userId: user.userId, password })
      return user
    }
    const outcome = await replaceState({ user, state, password }, call, deps)
    return outcome.outcome === 'conflict' ? undefined : settled(outcome)
  })
}

/**
 * Writes what a provider says of an account that was read before, and tells of it.
 * @throws ScimError 403 — reasons `change_refused`, `offboarding_held`.
 */
export async function replaceState(
  { user, state, password }: { readonly user: ProvisionedUserRecord; readonly state: ProvisionedState; readonly password: string | undefined },
  call: ScimCall,
  deps: UserDependencies,
): Promise<ProvisionOutcome> {
  const { caller, request, now } = call
  const { providerId } = caller.provider
  const { userId } = user
  const kind = changeOf(user, state)
  const isAllowed = (await deps.hooks.mayChange?.({ providerId, userId, kind })) ?? true
  // RFC 7644 §3.12, 403: the host protects this account.
  if (!isAllowed) throw refusal('change_refused')
  if (kind === 'deactivate') await admitEnd(user, call, deps)

  const outcome = await deps.storage.provisionedUsers.compareAndSwap({ providerId, userId, version: user.version, state, now })
  if (outcome.outcome !== 'swapped') return outcome
  if (password !== undefined) await deps.hooks.password?.({ userId, password })
  if (kind === 'deactivate') {
    const ended = await endedAccess(user, now, deps.storage)
    deps.journal.record(request, { type: 'account.deactivated', providerId, userId, ended })
  } else {
    deps.journal.record(request, { type: kind === 'reactivate' ? 'account.reactivated' : 'account.changed', providerId, userId })
  }
  return outcome
}

/**
 * The account that a write led to.
 * @throws ScimError 404 — reason `resource_not_found`; 409 — reasons `user_name_taken`, `external_id_taken`.
 */
export function settled(outcome: Exclude<ProvisionOutcome, { readonly outcome: 'conflict' }>): ProvisionedUserRecord {
  switch (outcome.outcome) {
    case 'swapped':
      return outcome.record
    case 'absent':
      // RFC 7644 §3.12, 404: removed since it was read.
      throw refusal('resource_not_found')
    case 'taken':
      // RFC 7644 §3.12 uniqueness.
      throw refusal(outcome.key === 'externalId' ? 'external_id_taken' : 'user_name_taken')
    default:
      return outcome satisfies never
  }
}

function changeOf(user: ProvisionedUserRecord, state: ProvisionedState): 'update' | 'deactivate' | 'reactivate' {
  if (user.active === state.active) return 'update'
  return state.active ? 'reactivate' : 'deactivate'
}

/** RFC 7644 §3.5.2.1: a write that changes nothing leaves version and date alone. */
const isSame = (user: ProvisionedUserRecord, state: ProvisionedState): boolean =>
  user.active === state.active && user.externalId === state.externalId && sameValue(user.resource, state.resource)
