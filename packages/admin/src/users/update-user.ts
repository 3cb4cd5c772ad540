import { type JsonObject, matchesFilter, type UserRecord } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { AdminError } from '../error/admin-error.ts'
import {
  administeredBy,
  nothingAdministered,
  unlessLastAdministrator,
  type Administered,
} from './last-administrators.ts'
import { changedClaims, type UserChange } from './user-claims.ts'
import { comparableUser } from './user-filter.ts'
import { findUser, loggedUser, userView, type UserView } from './user-view.ts'

/** A user, and the version that a change expects. Without a version the change applies to any. */
export interface UserTarget {
  readonly userId: string
  readonly version?: number | undefined
}

export const updateUser = (target: UserTarget, change: UserChange, context: AdminContext): Promise<UserView> =>
  audit(
    {
      name: 'account.updated',
      target: { kind: 'account', id: target.userId },
      run: async () => {
        const { before, after } = await changeStored(target, change, context)
        const changed = changedNames(before.claims, after.claims)
        return {
          result: userView(after),
          before: loggedUser(before),
          after: { ...loggedUser(after), changedClaims: changed },
        }
      },
    },
    context,
  )

interface StoredChange {
  readonly before: UserRecord
  readonly after: UserRecord
}

const changeStored = (
  { userId, version }: UserTarget,
  change: UserChange,
  context: AdminContext,
): Promise<StoredChange> =>
  untilSettled(async () => {
    const before = await findUser(userId, context)
    // RFC 9110 §15.5.13.
    if (version !== undefined && version !== before.version) throw new AdminError('version_mismatch')
    const claims = await changedClaims(before.claims, change, context.customFields)
    const after = await unlessLastAdministrator(
      {
        userId: before.userId,
        administered: await administeredNoMore(before, claims, context),
        apply: () => replaceClaims(before, claims, context),
        undo: async (replaced) => replaced && replaceClaims(replaced, before.claims, context),
      },
      context,
    )
    return after && { before, after }
  })

/** Returns undefined when another writer changed the user first. */
async function replaceClaims(
  { userId, version }: UserRecord,
  claims: JsonObject,
  { storage, clock }: AdminContext,
): Promise<UserRecord | undefined> {
  const swapped = await storage.users.replaceClaims({ userId, claims, version, now: clock() })
  // RFC 9110 §15.5.5: the user was removed since they were read.
  if (swapped.outcome === 'absent') throw new AdminError('account_unknown')
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}

/** What the user administers because of their claims, and would not administer with the new ones. */
async function administeredNoMore(user: UserRecord, claims: JsonObject, context: AdminContext): Promise<Administered> {
  const { administrators } = context.lastAdministrators
  if (administrators === undefined || matchesFilter(administrators)(comparableUser({ ...user, claims })))
    return nothingAdministered
  const { service } = await administeredBy(user.userId, context)
  return { service, organizations: [] }
}

function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).toSorted()
}
