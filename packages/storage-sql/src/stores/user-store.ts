import {
  untilSettled,
  type EpochSeconds,
  type LifecycleOutcome,
  type UserId,
  type SearchableUserStore,
} from '@mintmark/storage-interface'
import { createColumnReader, joinedTable, json } from '../row.ts'
import type { Database } from '../database.ts'
import { allAccounts } from '../list/kinds.ts'
import { createLister } from '../list/lister.ts'
import { withoutProvider } from '../rows/provisioned-user-row.ts'
import { userColumns, userReader } from '../rows/user-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createUserStore(
  database: Database,
  { scanLimit }: { readonly scanLimit: number },
): SearchableUserStore {
  const { query, engine, run } = database
  const statements = userStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(table)
  const read = userReader(columns)

  async function setActive(active: boolean, userId: UserId, now: EpochSeconds): Promise<LifecycleOutcome> {
    const change = { user_id: userId, now, active: engine.encodeFlag(active), was_active: engine.encodeFlag(!active) }
    return untilSettled(async () => {
      const [changed] = await run(active ? statements.reactivate : statements.deactivate, change)
      if (changed !== undefined) return { outcome: 'changed', record: read(take(changed)) }

      const [found] = await run(statements.find, { user_id: userId })
      if (found === undefined) return { outcome: 'absent' }
      const current = take(found)
      return columns.flag(current, 'active') === active ? { outcome: 'unchanged', record: read(current) } : undefined
    })
  }

  return {
    async insert({ userId, claims, createdAt }) {
      const [row] = await run(statements.insert, {
        user_id: userId,
        active: engine.encodeFlag(true),
        generation: 0,
        claims: json(claims),
        created_at: createdAt,
        updated_at: createdAt,
        version: 1,
        removed_at: null,
      })
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(userId) {
      const [row] = await run(statements.find, { user_id: userId })
      return row === undefined ? undefined : read(take(row))
    },

    list: createLister(database, { kind: allAccounts(engine), read, owner: () => ({}) }, { scanLimit }),

    async replaceClaims({ userId, claims, version, now }) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.replaceClaims, { user_id: userId, claims: json(claims), version, now })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(take(swapped)) }

        const [current] = await run(statements.find, { user_id: userId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(take(current), 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    deactivate: (userId, now) => setActive(false, userId, now),
    reactivate: (userId, now) => setActive(true, userId, now),

    async remove(userId, now) {
      const [row] = await run(statements.remove, {
        user_id: userId,
        now,
        active: engine.encodeFlag(false),
        claims: json({}),
      })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },
  }
}

function userStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  return {
    insert: compileStatement((p: Parameter<(typeof userColumns)[number]>) =>
      query
        .insertInto('mintmark_users')
        .values(parameters(p, userColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('version'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'user_id'>) =>
      query
        .selectFrom('mintmark_users')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('removed_at', 'is', null),
    ),

    replaceClaims: compileStatement((p: Parameter<'issuer' | 'user_id' | 'claims' | 'version' | 'now'>) =>
      present({ query, engine }, p)
        .set((set) => ({ claims: p('claims'), updated_at: p('now'), version: set('version', '+', 1) }))
        .where('version', '=', p('version')),
    ),

    deactivate: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'was_active' | 'now'>) =>
      present({ query, engine }, p)
        .set((set) => ({
          active: p('active'),
          generation: set('generation', '+', 1),
          updated_at: p('now'),
          version: set('version', '+', 1),
        }))
        .where('active', '=', p('was_active')),
    ),

    reactivate: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'was_active' | 'now'>) =>
      present({ query, engine }, p)
        .set((set) => ({ active: p('active'), updated_at: p('now'), version: set('version', '+', 1) }))
        .where('active', '=', p('was_active')),
    ),

    remove: compileStatement((p: Parameter<'issuer' | 'user_id' | 'active' | 'claims' | 'now'>) =>
      present({ query, engine }, p)
        .set(withoutProvider)
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

/** Changes an account that has not been removed. */
const present = ({ query, engine }: Pick<Database, 'query' | 'engine'>, p: Parameter<'issuer' | 'user_id'>) =>
  query
    .updateTable('mintmark_users')
    .where('issuer', '=', p('issuer'))
    .where('user_id', '=', p('user_id'))
    .where('removed_at', 'is', null)
    .returning(engine.joined.select(table))

const table = joinedTable('mintmark_users', userColumns)
