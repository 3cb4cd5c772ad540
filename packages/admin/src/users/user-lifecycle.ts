import { randomIdentifier } from '@mintmark/internal'
import { revokedAccess, type RevokedAccess } from '@mintmark/scim/engine'
import { clientId, userId, type UserRecord } from '@mintmark/storage-interface'
import { type LifecycleOutcome } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { plainJson } from '../audit/audit-log.ts'
import { refuse } from '../error/refusals.ts'
import { isChosenIdentifier } from '../text.ts'
import { findAdministered, applyUnlessLastAdministrator } from '../last-administrators/last-administrators.ts'
import { changedClaims, type UserChange } from './update-user.ts'
import { findUser, loggedUser, userView, type UserView } from './user-view.ts'

/** A user to create. */
export interface NewUser extends UserChange {
  /**
   * The `sub` of the user's tokens: letters, digits and `._~@|:+-`, at most 255. It is never given to another user.
   * Default: random.
   */
  readonly userId?: string | undefined
}

/** A user who was deactivated, and the access that was revoked. */
export interface DeactivatedUser {
  readonly user: UserView
  /** The revoked grants and sessions. Undefined if storage could not list them; they are revoked nevertheless. */
  readonly revoked: RevokedAccess | undefined
}

export function createUser(user: NewUser, context: AdminContext): Promise<UserView> {
  const { storage, clock, random, customFields } = context
  const id = user.userId ?? randomIdentifier(random)
  return audit(
    {
      name: 'user.created',
      target: { kind: 'user', id },
      run: async () => {
        // OIDC Core §2.
        if (!isChosenIdentifier(id, 255)) throw refuse('identifier_invalid', { pointer: '/user_id' })
        const claims = await changedClaims({}, user, customFields)
        // RFC 9700 §4.15: a client must not be mistaken for a user with the same `sub`.
        if ((await storage.clients.find(clientId(id))) !== undefined) throw refuse('identifier_taken')
        const { outcome } = await storage.users.insert({ userId: userId(id), claims, createdAt: clock() })
        // OIDC Core §2: the identifier of a removed user stays taken.
        if (outcome === 'taken') throw refuse('identifier_taken')
        const created = await findUser(id, context)
        return { result: userView(created), after: loggedUser(created) }
      },
    },
    context,
  )
}

export const deactivateUser = (id: string, context: AdminContext): Promise<DeactivatedUser> =>
  audit(
    {
      name: 'user.deactivated',
      target: { kind: 'user', id },
      protective: true,
      run: async () => {
        const { before, after, revoked } = await deactivateUnlessLastAdministrator(id, context)
        return {
          result: { user: userView(after), revoked },
          before: loggedUser(before),
          after: { ...loggedUser(after), ...loggedAccess(revoked) },
        }
      },
    },
    context,
  )

export const reactivateUser = (id: string, context: AdminContext): Promise<UserView> =>
  audit(
    {
      name: 'user.reactivated',
      target: { kind: 'user', id },
      run: async () => {
        const before = await findUser(id, context)
        const after = requirePresent(await context.storage.users.reactivate(before.userId, context.clock()))
        return { result: userView(after), before: loggedUser(before), after: loggedUser(after) }
      },
    },
    context,
  )

export const revokeAccessOfUser = (id: string, context: AdminContext): Promise<RevokedAccess | undefined> =>
  audit(
    {
      name: 'user.access_revoked',
      target: { kind: 'user', id },
      protective: true,
      run: async () => {
        const { storage, clock } = context
        const before = await findUser(id, context)
        const listed = await revokedAccess(before, clock(), storage)
        const { outcome } = await storage.users.revokeAccess(before.userId, clock())
        // RFC 9110 §15.5.5: the user was removed since they were read.
        if (outcome === 'absent') throw refuse('user_unknown')
        const revoked = before.active ? listed : { grants: [], sessionIds: [] }
        return { result: revoked, before: loggedUser(before), after: loggedAccess(revoked) }
      },
    },
    context,
  )

/**
 * Removes a user. Deactivates the user first: if this leaves no administrator, the deactivation can be undone, and a
 * removal could not.
 */
export const removeUser = (id: string, context: AdminContext): Promise<RevokedAccess | undefined> =>
  audit(
    {
      name: 'user.removed',
      target: { kind: 'user', id },
      protective: true,
      run: async () => {
        const { before, revoked } = await deactivateUnlessLastAdministrator(id, context)
        const { outcome } = await context.storage.users.remove(before.userId, context.clock())
        // RFC 9110 §15.5.5: of several concurrent removals one succeeds.
        if (outcome === 'absent') throw refuse('user_unknown')
        return { result: revoked, before: loggedUser(before), after: revoked && loggedAccess(revoked) }
      },
    },
    context,
  )

interface Deactivation {
  readonly before: UserRecord
  readonly after: UserRecord
  readonly revoked: RevokedAccess | undefined
}

export async function deactivateUnlessLastAdministrator(id: string, context: AdminContext): Promise<Deactivation> {
  const { storage, clock } = context
  const before = await findUser(id, context)
  const revoked = await revokedAccess(before, clock(), storage)
  const after = await applyUnlessLastAdministrator(
    {
      userId: before.userId,
      administered: await findAdministered(before.userId, context),
      apply: async () => requirePresent(await storage.users.deactivate(before.userId, clock())),
      undo: () => storage.users.reactivate(before.userId, clock()),
    },
    context,
  )
  return { before, after, revoked: before.active ? revoked : { grants: [], sessionIds: [] } }
}

function requirePresent(outcome: LifecycleOutcome): UserRecord {
  // RFC 9110 §15.5.5: the user was removed since they were read.
  if (outcome.outcome === 'absent') throw refuse('user_unknown')
  return outcome.record
}

/** Returns the member `ended` of an audit entry: the access that was revoked. */
const loggedAccess = (revoked: RevokedAccess | undefined) =>
  revoked === undefined ? {} : { ended: plainJson(revoked) }
