import { type EpochSeconds, sessionId, type SessionRecord, userId } from '@mintmark/storage-interface'
import type { SessionEnd } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { refuse } from '../error/refusals.ts'
import { findUser } from '../users/user-view.ts'

/** A browser in which a user is signed in. */
export interface SessionView {
  /** An identifier, not a credential. */
  readonly sessionId: string
  readonly userId: string
  readonly signedInAt: EpochSeconds
  readonly amr: readonly string[]
  /** Undefined for a session that the host manages. */
  readonly expiresAt: EpochSeconds | undefined
  readonly lastSeenAt: EpochSeconds
  /** Browser and system, such as `Firefox on Windows`. */
  readonly userAgent: string | undefined
  readonly location: string | undefined
  /** The clients that the user signed in to during the session, in the order of their identifiers. */
  readonly clientIds: readonly string[]
}

/** Sessions. A method throws AdminError if the action is refused or fails. */
export interface SessionAdministration {
  /** The sessions of a user, newest first. Refused: `user_unknown`. */
  listOfUser(id: string): Promise<readonly SessionView[]>
  /**
   * Signs a user out in one browser. If `userId` is set, the session of another user is refused as `session_unknown`.
   * Refused: `user_unknown`, `session_unknown`.
   */
  revoke(session: { readonly userId?: string | undefined; readonly sessionId: string }): Promise<void>
  /** Signs a user out in every browser. Returns the number of sessions. Refused: `user_unknown`. */
  revokeAllOfUser(id: string): Promise<number>
}

export const administerSessions = (context: AdminContext): SessionAdministration => ({
  listOfUser: (id) => listOfUser(id, context),
  revoke: ({ userId, sessionId }) => revokeSession(userId, sessionId, context),
  revokeAllOfUser: (id) => revokeAll(id, context),
})

async function listOfUser(id: string, context: AdminContext): Promise<readonly SessionView[]> {
  const sessions = await sessionsOf(id, context)
  const allParticipants = await context.storage.sessions.participantsOfUser(userId(id), Number.MAX_SAFE_INTEGER)
  return sessions.map((session) => {
    const participants = allParticipants.filter(({ sessionId }) => sessionId === session.sessionId)
    return sessionView(session, { userId: id, clientIds: participants.map(({ clientId }) => clientId) })
  })
}

async function sessionsOf(id: string, context: AdminContext): Promise<readonly SessionRecord[]> {
  const { userId, generation } = await findUser(id, context)
  const sessions = await context.storage.sessions.listByUser(userId, context.clock())
  // A deactivation revokes the sessions of earlier generations.
  return sessions.filter(({ userGeneration }) => userGeneration === generation)
}

const sessionView = (session: SessionRecord, context: Pick<SessionView, 'userId' | 'clientIds'>): SessionView => ({
  sessionId: session.sessionId,
  userId: context.userId,
  signedInAt: session.authTime,
  amr: session.amr,
  expiresAt: session.expiresAt,
  lastSeenAt: session.lastSeenAt,
  userAgent: session.userAgent,
  location: session.location,
  clientIds: context.clientIds,
})

const revokeSession = (user: string | undefined, id: string, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'session.revoked',
      target: { kind: 'session', id },
      protective: true,
      run: async () => {
        const owner = user ?? (await context.storage.sessions.find(sessionId(id)))?.userId
        const sessions = owner === undefined ? [] : await sessionsOf(owner, context)
        const session = sessions.find((each) => each.sessionId === id)
        // RFC 9110 §15.5.5: the session of another user is not found either.
        if (session === undefined) throw refuse('session_unknown')
        await context.storage.sessions.revoke(administratorEnd(session, context))
        return { result: undefined, before: { userId: owner ?? null, sessionId: session.sessionId } }
      },
    },
    context,
  )

const revokeAll = (user: string, context: AdminContext): Promise<number> =>
  audit(
    {
      name: 'user.sessions_revoked',
      target: { kind: 'user', id: user },
      protective: true,
      run: async () => {
        const sessions = await sessionsOf(user, context)
        for (const session of sessions) await context.storage.sessions.revoke(administratorEnd(session, context))
        return { result: sessions.length, before: { sessionIds: sessions.map(({ sessionId }) => sessionId) } }
      },
    },
    context,
  )

const administratorEnd = ({ sessionId }: SessionRecord, { clock }: AdminContext): SessionEnd => ({
  sessionId,
  reason: 'administrator',
  now: clock(),
  tombstoneUntil: undefined,
})
