import { matchesFilter, untilSettled, type JsonObject, type UserRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { AdminError } from '../error/admin-error.ts'
import { endUnlessLast } from '../guard/end-unless-last.ts'
import { administeredBy, type Administered } from '../guard/last-administrators.ts'
import { comparableUser } from './account-filter.ts'
import { userView, loggedUser, type UserView } from './account-view.ts'
import { changedClaims, type UserChange } from './changed-claims.ts'
import { findUser } from './find-account.ts'

/** Which account is meant, and in which version: with one, a change that another one has overtaken is refused. */
export interface UserTarget {
  readonly userId: string
  readonly version?: number | undefined
}

export const updateUser = (target: UserTarget, change: UserChange, acting: AdminContext): Promise<UserView> =>
  audit(
    {
      name: 'account.updated',
      target: { kind: 'account', id: target.userId },
      run: async () => {
        const { before, after } = await changedAccount(target, change, acting)
        const changed = changedNames(before.claims, after.claims)
        return {
          result: userView(after),
          before: loggedUser(before),
          after: { ...loggedUser(after), changedClaims: changed },
        }
      },
    },
    acting,
  )

interface Changed {
  readonly before: UserRecord
  readonly after: UserRecord
}

const changedAccount = ({ userId, version }: UserTarget, change: UserChange, acting: AdminContext): Promise<Changed> =>
  untilSettled(async () => {
    const before = await findUser(userId, acting)
    // RFC 9110 §15.5.13.
    if (version !== undefined && version !== before.version) throw new AdminError('version_mismatch')
    const claims = await changedClaims(before.claims, change, acting.customFields)
    const after = await endUnlessLast(
      {
        userId: before.userId,
        administered: await strippedOf(before, claims, acting),
        end: () => replace(before, claims, acting),
        undo: async (replaced) => replaced && replace(replaced, before.claims, acting),
      },
      acting,
    )
    return after && { before, after }
  })

/** Undefined when another writer was faster. */
async function replace(
  { userId, version }: UserRecord,
  claims: JsonObject,
  { storage, clock }: AdminContext,
): Promise<UserRecord | undefined> {
  const swapped = await storage.users.replaceClaims({ userId, claims, version, now: clock() })
  // RFC 9110 §15.5.5: removed since it was read.
  if (swapped.outcome === 'absent') throw new AdminError('account_unknown')
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}

/** What the account administers by its claims, and would not with these. */
async function strippedOf(account: UserRecord, claims: JsonObject, acting: AdminContext): Promise<Administered> {
  const { administrators } = acting.lastAdministrators
  if (administrators === undefined || matchesFilter(administrators)(comparableUser({ ...account, claims })))
    return nothing
  const { service } = await administeredBy(account.userId, acting)
  return { service, organizations: [] }
}

function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).toSorted()
}

const nothing: Administered = { service: false, organizations: [] }
