import { clientId as asClientId } from '../values.ts'
import type { HostUser, SearchableUserStore, UpsertOutcome } from '../user.ts'
import type { MemoryTables } from './database.ts'
import type { SchedulerHook } from './rows.ts'
import { presentRow, writeUser } from './users.ts'

type Tables = Pick<MemoryTables, 'users' | 'clients'>

/** Creates the methods that write users of the host in batches. */
export function createMemoryUpsert(
  tables: Tables,
  scheduler: SchedulerHook,
): Pick<SearchableUserStore, 'upsert' | 'compare'> {
  const { users } = tables

  return {
    async upsert({ users: batch, now }) {
      const outcomes: UpsertOutcome[] = []
      for (const user of batch) {
        await scheduler()
        const result = outcomeOf(user, tables)
        outcomes.push(result)
        const { userId, claims, active } = user
        if (result.outcome === 'created') {
          const block = active ? undefined : { blockedAt: now, activeAfterBlock: true }
          const fresh = { blockedAt: undefined, activeAfterBlock: undefined, generation: 0, version: 1 }
          const times = { createdAt: now, updatedAt: now }
          writeUser(users, {
            record: { userId, claims, active, providerId: undefined, ...fresh, ...times, ...block },
            provisioning: undefined,
          })
        }
        const current = presentRow(users, userId)
        if (result.outcome === 'updated' && current !== undefined) {
          const record = { ...current.record, claims, updatedAt: now, version: current.record.version + 1 }
          writeUser(users, { ...current, record })
        }
      }
      return outcomes
    },

    async compare(batch) {
      await scheduler()
      return batch.map((user) => outcomeOf(user, tables))
    },
  }
}

function outcomeOf({ userId, claims, active }: HostUser, { users, clients }: Tables): UpsertOutcome {
  const stored = users.byId.get(userId)
  if (stored?.kind === 'removed') return { outcome: 'removed' }
  if (stored === undefined) {
    const id = asClientId(userId)
    const isClient = clients.present.has(id) || clients.removed.has(id)
    return isClient ? { outcome: 'client' } : { outcome: 'created', active }
  }
  const { record } = stored
  if (record.providerId !== undefined) return { outcome: 'provisioned' }
  const isSame = JSON.stringify(record.claims) === JSON.stringify(claims)
  return { outcome: isSame ? 'unchanged' : 'updated', active: record.active }
}
