import type { FamilyStatus, StatusStore } from '../status.ts'
import type { TokenFamilyRecord } from '../token-family.ts'
import { findByHandle } from './families.ts'
import type { MemoryTables } from './database.ts'
import type { SchedulerHook } from './rows.ts'
import { presentUser } from './users.ts'

/** Each method pauses once and then reads all its rows, so that they are consistent. */
export function createMemoryStatus(tables: MemoryTables, scheduler: SchedulerHook): StatusStore {
  return {
    async ofGrant(grantId) {
      await scheduler()
      const grant = tables.grants.byId.get(grantId)
      if (grant === undefined) return undefined

      return {
        grant,
        client: tables.clients.present.get(grant.clientId),
        user: presentUser(tables.users, grant.userId),
      }
    },

    async ofFamily(familyId) {
      await scheduler()
      return standingOf(tables, tables.families.byId.get(familyId))
    },

    async ofRefreshHandle(handleDigest) {
      await scheduler()
      return standingOf(tables, findByHandle(tables.families, handleDigest))
    },

    async ofSession(digest) {
      await scheduler()
      const session = tables.sessions.byDigest.get(digest)
      return session === undefined ? undefined : { session, user: presentUser(tables.users, session.userId) }
    },
  }
}

function standingOf(tables: MemoryTables, family: TokenFamilyRecord | undefined): FamilyStatus | undefined {
  if (family === undefined) return undefined

  return {
    family,
    grant: tables.grants.byId.get(family.grantId),
    client: tables.clients.present.get(family.clientId),
    user: presentUser(tables.users, family.userId),
  }
}
