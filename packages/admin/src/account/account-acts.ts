import { randomIdentifier } from '@mintmark/core/runtime'
import { revokedAccess, type RevokedAccess } from '@mintmark/scim'
import { clientId, userId, type LifecycleOutcome, type UserRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { AdminError } from '../error/admin-error.ts'
import { administeredBy } from '../guard/last-administrators.ts'
import { endUnlessLast } from '../guard/end-unless-last.ts'
import { isChosenIdentifier } from '../page/identifier.ts'
import { userView, loggedUser, type UserView } from './account-view.ts'
import { changedClaims, type UserChange } from './changed-claims.ts'
import { findUser } from './find-account.ts'

/** An account as it begins. */
export interface NewUserInput extends UserChange {
  /**
   * The `sub` of its tokens: letters, digits and `._~@|:+-`, at most 255. It is never given to another one. Default:
   * random.
   */
  readonly userId?: string | undefined
}

/** An account that has ended, and what died with it. */
export interface RevokedUser {
  readonly account: UserView
  /** Undefined when storage did not tell: it is dead all the same. */
  readonly ended: RevokedAccess | undefined
}

export function createUser(account: NewUserInput, acting: AdminContext): Promise<UserView> {
  const { storage, clock, random, customFields } = acting
  const id = account.userId ?? randomIdentifier(random)
  return audit(
    {
      name: 'account.created',
      target: { kind: 'account', id },
      run: async () => {
        // OIDC Core §2.
        if (!isChosenIdentifier(id, 255)) throw new AdminError('identifier_invalid', { pointer: '/user_id' })
        const claims = await changedClaims({}, account, customFields)
        // RFC 9700 §4.15: the `sub` of a person must never be taken for a client's.
        if ((await storage.clients.find(clientId(id))) !== undefined) throw new AdminError('identifier_taken')
        const { outcome } = await storage.users.insert({ userId: userId(id), claims, createdAt: clock() })
        // OIDC Core §2: also that of a removed account.
        if (outcome === 'taken') throw new AdminError('identifier_taken')
        const created = await findUser(id, acting)
        return { result: userView(created), after: loggedUser(created) }
      },
    },
    acting,
  )
}

export const deactivateUser = (id: string, acting: AdminContext): Promise<RevokedUser> =>
  audit(
    {
      name: 'account.deactivated',
      target: { kind: 'account', id },
      protective: true,
      run: async () => {
        const { before, after, ended } = await deactivated(id, acting)
        return {
          result: { account: userView(after), ended },
          before: loggedUser(before),
          after: { ...loggedUser(after), ...(ended && { ended: plainJson(ended) }) },
        }
      },
    },
    acting,
  )

export const reactivateUser = (id: string, acting: AdminContext): Promise<UserView> =>
  audit(
    {
      name: 'account.reactivated',
      target: { kind: 'account', id },
      run: async () => {
        const before = await findUser(id, acting)
        const after = present(await acting.storage.users.reactivate(before.userId, acting.clock()))
        return { result: userView(after), before: loggedUser(before), after: loggedUser(after) }
      },
    },
    acting,
  )

/** It is deactivated first: that can be undone, if it turns out that it left nobody to administer. */
export const removeUser = (id: string, acting: AdminContext): Promise<RevokedAccess | undefined> =>
  audit(
    {
      name: 'account.removed',
      target: { kind: 'account', id },
      protective: true,
      run: async () => {
        const { before, ended } = await deactivated(id, acting)
        const { outcome } = await acting.storage.users.remove(before.userId, acting.clock())
        // RFC 9110 §15.5.5: of several who remove one, one does.
        if (outcome === 'absent') throw new AdminError('account_unknown')
        return { result: ended, before: loggedUser(before), after: ended && { ended: plainJson(ended) } }
      },
    },
    acting,
  )

interface Deactivated {
  readonly before: UserRecord
  readonly after: UserRecord
  readonly ended: RevokedAccess | undefined
}

async function deactivated(id: string, acting: AdminContext): Promise<Deactivated> {
  const { storage, clock } = acting
  const before = await findUser(id, acting)
  const ended = await revokedAccess(before, clock(), storage)
  const after = await endUnlessLast(
    {
      userId: before.userId,
      administered: await administeredBy(before.userId, acting),
      end: async () => present(await storage.users.deactivate(before.userId, clock())),
      undo: () => storage.users.reactivate(before.userId, clock()),
    },
    acting,
  )
  return { before, after, ended: before.active ? ended : { grants: [], sessionIds: [] } }
}

function present(outcome: LifecycleOutcome): UserRecord {
  // RFC 9110 §15.5.5: removed since it was read.
  if (outcome.outcome === 'absent') throw new AdminError('account_unknown')
  return outcome.record
}
