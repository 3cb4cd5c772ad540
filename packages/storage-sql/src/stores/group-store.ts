import { untilSettled, type GroupStore, type RemovalOutcome } from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import { indexKey } from '../index-key.ts'
import { createLister } from '../list/create-lister.ts'
import { listedGroups } from '../list/listed-groups.ts'
import { providerOf } from '../list/provider-rows.ts'
import { groupReader, groupStateRow } from '../rows/group-row.ts'
import { versionRange } from '../version-range.ts'
import { createGroupChange, memberValues } from './change-group.ts'
import { groupStatements } from './group-statements.ts'
import { createMembersOf } from './members-of.ts'

export function createGroupStore(database: Database, { scanLimit }: { readonly scanLimit: number }): GroupStore {
  const { engine, run, step, transact, inLine } = database
  const statements = groupStatements(database)
  const columns = createColumnReader(engine)
  const read = groupReader(columns)

  return {
    list: createLister(database, { kind: listedGroups, read, owner: providerOf }, { scanLimit }),

    async insert({ providerId, groupId, state, memberIds, createdAt }) {
      const values = {
        ...groupStateRow(state, engine),
        ...memberValues({ kind: 'replace', memberIds }, engine),
        provider_id: providerId,
        group_id: groupId,
        has_state: 1,
        created_at: createdAt,
      }
      const steps = [
        step(statements.delta.plan, values, 'guard'),
        // Behind what waits for others: with it goes the total, which is every group's until the transaction ends.
        step(statements.insert, values, 'guard'),
        step(statements.addMembers, values),
        step(statements.find, values),
      ]
      return untilSettled(async () => {
        const rows = memberIds.length === 0 ? await run(statements.insert, values) : await transact(steps)
        const [inserted] = rows ?? []
        if (inserted !== undefined) return { outcome: 'inserted', record: read(inserted) }

        const [row] = await run(statements.findTaken, values)
        if (row === undefined || columns.flag(row, 'id_taken')) return { outcome: 'taken', key: 'id' }
        if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' }
        return columns.integer(row, 'unknown') > 0 ? { outcome: 'memberUnknown' } : undefined
      })
    },

    async find(providerId, groupId) {
      const [row] = await run(statements.find, { provider_id: providerId, group_id: groupId })
      return row === undefined ? undefined : read(row)
    },

    async findByExternalId(providerId, externalId) {
      const key = { provider_id: providerId, external_id_key: indexKey(externalId) }
      const [row] = await run(statements.findByExternalId, key)
      return row === undefined ? undefined : read(row)
    },

    membersOf: createMembersOf(database),

    change: createGroupChange(database, statements),

    async remove({ providerId, groupId, version, now }) {
      const values = { provider_id: providerId, group_id: groupId, ...versionRange(version), now }
      const steps = [
        step(statements.lockForRemoval, values, 'guard'),
        step(statements.touchParents, values),
        step(statements.endMemberships, values),
        // Last, as the total goes with it.
        step(statements.remove, values, 'guard'),
      ]
      const settle = (): Promise<RemovalOutcome> =>
        untilSettled(async () => {
          if ((await transact(steps)) !== undefined) return { outcome: 'removed' }

          const [current] = await run(statements.find, values)
          if (current === undefined) return { outcome: 'absent' }
          const isAsExpected = version === undefined || columns.integer(current, 'version') === version
          return isAsExpected ? undefined : { outcome: 'conflict' }
        })
      return inLine(groupId, settle)
    },
  }
}
