import { type EpochSeconds, type UserId } from '@mintmark/storage-interface'
import { untilSettled, type LifecycleOutcome, type SearchableUserStore } from '@mintmark/storage-interface/stores'
import { users } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'
import { createUserListKind } from '../list/kinds.ts'
import { createLister } from '../list/lister.ts'
import { createUpsert } from './upsert-users.ts'
import { createDepartures, unlessUnavailable } from './departures.ts'
import { formerKeys, withoutProvider } from './provisioned-user-statements.ts'

export function createUserStore(
  database: Database,
  { scanLimit }: { readonly scanLimit: number },
): SearchableUserStore {
  const { engine, run } = database
  const table = recordTable(database, users)
  const statements = userStatements(database, table)
  const departures = createDepartures(database)

  return {
    ...createUpsert(database),
    ...createLifecycle(database, { table, statements }),

    async insert({ userId, claims, createdAt }) {
      const user = { ...newUser, userId, claims, createdAt, updatedAt: createdAt }
      return { outcome: (await table.insert(user)) ? 'inserted' : 'taken' }
    },

    async find(userId) {
      const [row] = await run(statements.find, { user_id: userId })
      return row === undefined ? undefined : table.read(row)
    },

    list: createLister(
      database,
      { kind: createUserListKind(engine), read: table.readTableRow, owner: () => ({}) },
      { scanLimit },
    ),

    async replaceClaims({ userId, claims, version, now }) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.replaceClaims, {
          user_id: userId,
          claims: JSON.stringify(claims),
          version,
          now,
        })
        if (swapped !== undefined) return { outcome: 'swapped', record: table.read(swapped) }

        const [current] = await run(statements.find, { user_id: userId })
        if (current === undefined) return { outcome: 'absent' }
        return table.read(current).version === version ? undefined : { outcome: 'conflict' }
      })
    },

    async remove(userId, now) {
      const [row] = await run(statements.remove, {
        user_id: userId,
        now,
        active: engine.encodeFlag(false),
        claims: '{}',
      })
      if (row === undefined) return { outcome: 'absent' }
      await unlessUnavailable(() => departures.finishUser(userId))
      return { outcome: 'removed' }
    },
  }
}

const newUser = {
  active: true,
  providerId: undefined,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  generation: 0,
  version: 1,
} as const

/** The kill switch. */
function createLifecycle(
  { engine, run }: Database,
  {
    table,
    statements,
  }: { readonly table: RecordTable<typeof users>; readonly statements: ReturnType<typeof userStatements> },
): Pick<SearchableUserStore, 'deactivate' | 'reactivate' | 'revokeAccess'> {
  async function setActive(
    userId: UserId,
    now: EpochSeconds,
    { active }: { readonly active: boolean },
  ): Promise<LifecycleOutcome> {
    const change = { user_id: userId, now, active: engine.encodeFlag(active), was_active: engine.encodeFlag(!active) }
    return untilSettled(async () => {
      const [changed] = await run(active ? statements.reactivate : statements.deactivate, change)
      if (changed !== undefined) return { outcome: 'changed', record: table.read(changed) }

      const [found] = await run(statements.find, { user_id: userId })
      if (found === undefined) {
        // The removal may have been concurrent: the block is kept for a user who gets the same SCIM keys later.
        if (!active) await run(statements.blockRemoved, { user_id: userId, now })
        return { outcome: 'absent' }
      }
      const record = table.read(found)
      const isSettled = active ? record.active : record.blockedAt !== undefined
      return isSettled ? { outcome: 'unchanged', record } : undefined
    })
  }

  return {
    deactivate: (userId, now) => setActive(userId, now, { active: false }),
    reactivate: (userId, now) => setActive(userId, now, { active: true }),

    async revokeAccess(userId, now) {
      const [row] = await run(statements.revokeAccess, { user_id: userId, now })
      return row === undefined ? { outcome: 'absent' } : { outcome: 'revoked', record: table.read(row) }
    },
  }
}

/** Begins a statement that changes a user who has not been removed. */
const userUpdate =
  ({ query }: Pick<Database, 'query'>, table: RecordTable<typeof users>) =>
  (p: Parameter<'issuer' | 'user_id'>) =>
    query
      .updateTable('mintmark_users')
      .where('issuer', '=', p('issuer'))
      .where('user_id', '=', p('user_id'))
      .where('removed_at', 'is', null)
      .returning(table.selection)

function userStatements(database: Pick<Database, 'query'>, table: RecordTable<typeof users>) {
  const { query } = database
  const updateUser = userUpdate(database, table)

  return {
    ...lifecycleStatements(database, table),

    find: compileLookup((p: Parameter<'issuer' | 'user_id'>) =>
      query
        .selectFrom('mintmark_users')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('removed_at', 'is', null),
    ),

    replaceClaims: compileStatement((p: Parameter<'issuer' | 'user_id' | 'claims' | 'version' | 'now'>) =>
      updateUser(p)
        .set((set) => ({ claims: p('claims'), updated_at: p('now'), version: set('version', '+', 1) }))
        .where('version', '=', p('version')),
    ),

    remove: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'claims' | 'now'>) =>
      updateUser(p)
        .set(withoutProvider)
        .set(formerKeys(p))
        .set((set) => ({
          active: p('active'),
          generation: set('generation', '+', 1),
          claims: p('claims'),
          updated_at: p('now'),
          version: set('version', '+', 1),
          removed_at: p('now'),
        })),
    ),
  }
}

/** The statements of the kill switch. */
function lifecycleStatements(database: Pick<Database, 'query'>, table: RecordTable<typeof users>) {
  const { query } = database
  const updateUser = userUpdate(database, table)

  return {
    deactivate: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'was_active' | 'now'>) =>
      updateUser(p)
        .set((set) => ({
          active: p('active'),
          active_after_block: sql`active`,
          blocked_at: p('now'),
          generation: sql`generation + case when active = ${p('was_active')} then 1 else 0 end`,
          updated_at: p('now'),
          version: set('version', '+', 1),
        }))
        .where('blocked_at', 'is', null),
    ),

    blockRemoved: compileStatement((p: Parameter<'issuer' | 'user_id' | 'now'>) =>
      query
        .updateTable('mintmark_users')
        .set({ blocked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('removed_at', 'is not', null)
        .where('former_provider_id', 'is not', null)
        .where('blocked_at', 'is', null),
    ),

    reactivate: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'was_active' | 'now'>) =>
      updateUser(p)
        .set((set) => ({
          active: sql`case when blocked_at is null then ${p('active')} else coalesce(active_after_block, true) end`,
          active_after_block: null,
          blocked_at: null,
          updated_at: p('now'),
          version: set('version', '+', 1),
        }))
        .where('active', '=', p('was_active')),
    ),

    revokeAccess: compileStatement((p: Parameter<'issuer' | 'user_id' | 'now'>) =>
      updateUser(p).set((set) => ({ generation: set('generation', '+', 1), updated_at: p('now') })),
    ),
  }
}
