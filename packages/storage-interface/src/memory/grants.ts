import type { GrantRecord, GrantStore } from '../grant.ts'
import { type ClientId, type GrantId, type UserId, epochSeconds } from '../values.ts'
import { StorageUnavailableError } from '../outcome.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { type ChangeTable, writeChange } from './changes.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export interface GrantTable {
  /** A revoked grant may be purged at any time. */
  readonly byId: ExpiringRows<GrantId, GrantRecord>
  /** Unrevoked grants only: at most one for each user and client. */
  readonly unrevoked: Map<UserId, Map<ClientId, GrantId>>
}

export const createGrantTable = (): GrantTable => ({
  byId: createExpiringRows(({ revokedAt }) => (revokedAt === undefined ? undefined : epochSeconds(0))),
  unrevoked: new Map(),
})

interface GrantTables {
  readonly grants: GrantTable
  readonly changes: ChangeTable
  readonly revocations: RevocationTable
}

export function createMemoryGrants(
  { grants, revocations, changes }: GrantTables,
  scheduler: SchedulerHook,
): GrantStore {
  return {
    async insert(grant) {
      await scheduler()
      const existing = findUnrevoked(grants, grant.userId, grant.clientId)
      if (existing !== undefined) return { outcome: 'taken', record: existing }
      if (grants.byId.has(grant.grantId)) throw new StorageUnavailableError('The grant identifier is in use')

      write(grants, grant)
      if (grant.revokedAt === undefined)
        writeChange(changes, { type: 'grant.created', ...identifiersOf(grant) }, grant.createdAt)
      return { outcome: 'inserted' }
    },

    async findUnrevoked(userId, clientId) {
      await scheduler()
      return findUnrevoked(grants, userId, clientId)
    },

    async replaceConsent({ grantId, scopes, resources, authorizationDetails, clientDigest, version }) {
      await scheduler()
      const current = grants.byId.get(grantId)
      if (current === undefined || current.revokedAt !== undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const changed = { ...current, scopes, resources, authorizationDetails, clientDigest, version: version + 1 }
      return { outcome: 'swapped', record: write(grants, changed) }
    },

    async revoke(grantId, now) {
      await scheduler()
      const current = grants.byId.get(grantId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.revokedAt !== undefined) return { outcome: 'unchanged' }

      write(grants, { ...current, revokedAt: now })
      writeRevocation(revocations, { kind: 'grant', grantId }, now)
      writeChange(changes, { type: 'grant.revoked', ...identifiersOf(current) }, now)
      return { outcome: 'revoked' }
    },

    async listByUser(userId) {
      await scheduler()
      const ids = [...(grants.unrevoked.get(userId)?.values() ?? [])]
      return ids.flatMap((id) => grants.byId.get(id) ?? []).toSorted((a, b) => b.createdAt - a.createdAt)
    },
  }
}

const identifiersOf = ({ grantId, userId, clientId }: GrantRecord) => ({ grantId, userId, clientId })

function findUnrevoked(grants: GrantTable, userId: UserId, clientId: ClientId): GrantRecord | undefined {
  const id = grants.unrevoked.get(userId)?.get(clientId)
  return id === undefined ? undefined : grants.byId.get(id)
}

function write(grants: GrantTable, grant: GrantRecord): GrantRecord {
  const record = frozenCopy(grant)
  grants.byId.set(record.grantId, record)

  const ofUser = grants.unrevoked.get(record.userId) ?? new Map<ClientId, GrantId>()
  grants.unrevoked.set(record.userId, ofUser)
  if (record.revokedAt === undefined) ofUser.set(record.clientId, record.grantId)
  else if (ofUser.get(record.clientId) === record.grantId) ofUser.delete(record.clientId)
  if (ofUser.size === 0) grants.unrevoked.delete(record.userId)

  return record
}
