import type { BoundSession } from '../session.ts'
import type { FamilyStatus, StatusStore } from '../status.ts'
import type { TokenFamilyRecord } from '../token-family.ts'
import type { SessionId } from '../values.ts'
import { findByHandle } from './families.ts'
import type { MemoryTables } from './database.ts'
import { isTokenRevoked } from './revocation-table.ts'
import type { SchedulerHook } from './rows.ts'
import { findByDigest } from './sessions.ts'
import { presentUser } from './users.ts'

/** Each method awaits the scheduler once and then reads all its rows in one step, so that they are consistent. */
export function createMemoryStatus(tables: MemoryTables, scheduler: SchedulerHook): StatusStore {
  return {
    async ofGrant(grantId, boundTo) {
      await scheduler()
      const grant = tables.grants.byId.get(grantId)
      if (grant === undefined) return undefined

      return {
        grant,
        client: tables.clients.present.get(grant.clientId),
        user: presentUser(tables.users, grant.userId),
        session: boundSession(tables, boundTo),
      }
    },

    async ofFamily(familyId) {
      await scheduler()
      return familyStatus(tables, tables.families.byId.get(familyId))
    },

    async ofAccessToken({ familyId, tokenId, now }) {
      await scheduler()
      return isTokenRevoked(tables.revocations, tokenId, now)
        ? undefined
        : familyStatus(tables, tables.families.byId.get(familyId))
    },

    async ofFamilies(familyIds) {
      await scheduler()
      return familyIds.flatMap((familyId) => familyStatus(tables, tables.families.byId.get(familyId)) ?? [])
    },

    async ofRefreshHandle(handleDigest) {
      await scheduler()
      return familyStatus(tables, findByHandle(tables.families, handleDigest))
    },

    async ofSession(digest) {
      await scheduler()
      const session = findByDigest(tables.sessions, digest)
      if (session === undefined) return undefined

      return { session, user: session.userId && presentUser(tables.users, session.userId) }
    },
  }
}

function familyStatus(tables: MemoryTables, family: TokenFamilyRecord | undefined): FamilyStatus | undefined {
  if (family === undefined) return undefined

  return {
    family,
    grant: tables.grants.byId.get(family.grantId),
    client: tables.clients.present.get(family.clientId),
    user: presentUser(tables.users, family.userId),
    session: boundSession(tables, family.boundSessionId),
  }
}

function boundSession({ sessions }: MemoryTables, boundTo: SessionId | undefined): BoundSession | undefined {
  const session = boundTo === undefined ? undefined : sessions.byId.get(boundTo)
  return session && { sessionId: session.sessionId, userId: session.userId, revokedAt: session.revokedAt }
}
