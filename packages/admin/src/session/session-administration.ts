import type { EpochSeconds, SessionRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { findUser } from '../account/find-account.ts'
import { AdminError } from '../error/admin-error.ts'

/** A browser in which a person is signed in. */
export interface SessionView {
  /** It opens nothing. */
  readonly sessionId: string
  readonly userId: string
  readonly signedInAt: EpochSeconds
  readonly amr: readonly string[]
  readonly expiresAt: EpochSeconds
}

/** Sessions. Each method throws AdminError. */
export interface SessionAdministration {
  /** A person's, newest first. Refused: `account_unknown`. */
  listOfAccount(account: string): Promise<readonly SessionView[]>
  /** Signs one browser out. Refused: `account_unknown`, `session_unknown`. */
  revoke(session: { readonly userId: string; readonly sessionId: string }): Promise<void>
  /** Signs a person out everywhere. @returns in how many browsers. Refused: `account_unknown`. */
  revokeAllOfAccount(account: string): Promise<number>
}

export const administerSessions = (acting: AdminContext): SessionAdministration => ({
  listOfAccount: async (account) => (await sessionsOf(account, acting)).map(sessionView),
  revoke: ({ userId, sessionId }) => revokeSession(userId, sessionId, acting),
  revokeAllOfAccount: (account) => revokeAll(account, acting),
})

async function sessionsOf(account: string, acting: AdminContext): Promise<readonly SessionRecord[]> {
  const { userId, generation } = await findUser(account, acting)
  const sessions = await acting.storage.sessions.listByUser(userId, acting.clock())
  // Those of before a deactivation are not honoured: they are dead already.
  return sessions.filter(({ userGeneration }) => userGeneration === generation)
}

const sessionView = ({ sessionId, userId, authTime, amr, expiresAt }: SessionRecord): SessionView => ({
  sessionId,
  userId,
  signedInAt: authTime,
  amr,
  expiresAt,
})

const revokeSession = (account: string, id: string, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'session.revoked',
      target: { kind: 'session', id },
      protective: true,
      run: async () => {
        const session = (await sessionsOf(account, acting)).find(({ sessionId }) => sessionId === id)
        // RFC 9110 §15.5.5: another person's is not there.
        if (session === undefined) throw new AdminError('session_unknown')
        await acting.storage.sessions.revoke(session.sessionId, acting.clock())
        return { result: undefined, before: { userId: session.userId, sessionId: session.sessionId } }
      },
    },
    acting,
  )

const revokeAll = (account: string, acting: AdminContext): Promise<number> =>
  audit(
    {
      name: 'account.sessions_revoked',
      target: { kind: 'account', id: account },
      protective: true,
      run: async () => {
        const sessions = await sessionsOf(account, acting)
        for (const { sessionId } of sessions) await acting.storage.sessions.revoke(sessionId, acting.clock())
        return { result: sessions.length, before: { sessionIds: sessions.map(({ sessionId }) => sessionId) } }
      },
    },
    acting,
  )
