import {
  untilSettled,
  type JsonObject,
  type ProvisionedState,
  type ProvisionedUserRecord,
  type ProvisionOutcome,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { requireMatch } from '../message/preconditions.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { writerOf } from './account-writer.ts'
import { admitChange, type WriteContext } from './admit-change.ts'
import { findUser } from './find-user.ts'
import { userVersion } from './render-user.ts'
import { saysTheSame } from './resource-text.ts'
import { userDocument } from './user-document.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { userState, type WrittenUser } from './user-state.ts'

/**
 * Changes an account as a whole, in one compare-and-swap (RFC 7644 §3.5). When another writer was faster the change is made
 * again on what they left, unless the caller has named the version it means.
 * @param change makes the new document from the one that is there; it may throw, and then nothing is written.
 * @throws ScimError 404 — reason `resource_not_found`; 412 — reason `version_mismatch`; the reasons of `replaceState`; and whatever
 * `change` throws.
 */
export function writeUser(
  call: ScimCall,
  change: (document: JsonObject) => JsonObject,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord> {
  const writer = writerOf(call, deps.journal)
  return untilSettled(async () => {
    const user = await findUser(call, deps)
    requireMatch(call.request, userVersion(user))
    const written = userState(change(userDocument(user)), user, deps)
    return replaceState(user, written, { writer, deps })
  })
}

/**
 * Writes what a provider says of an account that was read before, and tells of it. A password is not a part of what is shown: by
 * itself it moves neither version nor date.
 * @returns undefined when the account has changed, or gone, since it was read.
 * @throws ScimError 403 — the reasons of `admitChange`; 409 — reasons `user_name_taken`, `external_id_taken`.
 */
export async function replaceState(
  user: ProvisionedUserRecord,
  written: WrittenUser,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { state, password } = written
  const isSameState = isSame(user, written)
  if (isSameState && password === undefined) return user
  await admitChange(user, changeOf(user, state), context)

  const after = isSameState ? user : await swapState(user, state, context)
  if (after !== undefined && password !== undefined)
    await context.deps.hooks.password?.({ userId: user.userId, password })
  return after
}

async function swapState(
  user: ProvisionedUserRecord,
  state: ProvisionedState,
  { writer: { providerId, now, record }, deps }: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { userId, version } = user
  const outcome = await deps.storage.provisionedUsers.compareAndSwap({ providerId, userId, version, state, now })
  if (outcome.outcome === 'conflict' || outcome.outcome === 'absent') return undefined
  const after = settled(outcome)
  const kind = changeOf(user, state)
  if (kind === 'deactivate') {
    const ended = await deps.endedAccess(user, now)
    record({ type: 'account.deactivated', providerId, userId, ended })
  } else {
    record({ type: kind === 'reactivate' ? 'account.reactivated' : 'account.changed', providerId, userId })
  }
  return after
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
const isSame = (user: ProvisionedUserRecord, written: WrittenUser): boolean =>
  user.active === written.state.active && user.externalId === written.state.externalId && saysTheSame(user, written)
