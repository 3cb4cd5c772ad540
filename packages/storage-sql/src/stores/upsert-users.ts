import { StorageUnavailableError, type UserId } from '@mintmark/storage-interface'
import type { HostUser, SearchableUserStore, UpsertOutcome } from '@mintmark/storage-interface/stores'
import { type RawBuilder, sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import { type SqlEngine, type SqlRow, type SqlValue, UniqueViolationError } from '../dialect.ts'
import { createColumnReader } from '../row.ts'

/** Creates the methods that write users of the host in batches. */
export function createUpsert(database: Database): Pick<SearchableUserStore, 'upsert' | 'compare'> {
  const { run, engine } = database
  const columns = createColumnReader(engine)
  const statements = upsertStatements(database)
  const statesOf = createStateReader(database, statements)

  return {
    async upsert({ users, now }) {
      const written = new Map<string, UpsertOutcome>()
      for (const active of [true, false]) {
        const batch = users.filter((user) => user.active === active)
        if (batch.length === 0) continue
        const state = {
          active: engine.encodeFlag(active),
          blocked_at: active ? null : now,
          active_after_block: active ? null : engine.encodeFlag(true),
          now,
        }
        const rows = engine.reportsUpserts
          ? await run(statements.upsert, { users: encodePairs(batch, engine), ...state })
          : await upsertEach(batch, state)
        for (const row of rows) {
          const isNew = columns.integer(row, 'version') === 1
          const outcome = isNew ? 'created' : 'updated'
          written.set(columns.text(row, 'user_id'), { outcome, active: columns.flag(row, 'active') })
        }
      }
      const others = await statesOf(users.filter(({ userId }) => !written.has(userId)))
      return users.map((user) => written.get(user.userId) ?? outcomeWithoutWrite(others.get(user.userId)))
    },

    async compare(users) {
      const states = await statesOf(users)
      return users.map((user) => {
        const state = states.get(user.userId)
        if (state === undefined) return { outcome: 'created', active: user.active }
        if (state.kind !== 'present') return { outcome: state.kind }
        const isSame = state.claims === JSON.stringify(user.claims)
        return { outcome: isSame ? 'unchanged' : 'updated', active: state.active }
      })
    },
  }

  /** Writes users one by one. Returns a row for each that was written. */
  async function upsertEach(users: readonly HostUser[], state: NewState): Promise<readonly SqlRow[]> {
    const written: SqlRow[] = []
    for (const { userId, claims } of users) {
      const user = { ...state, user_id: userId, claims: JSON.stringify(claims) }
      written.push(...(await insertOrUpdate(user)))
    }
    return written
  }

  async function insertOrUpdate(user: NewState & Record<'user_id' | 'claims', string>): Promise<readonly SqlRow[]> {
    try {
      return await run(statements.insert, user)
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error
      return run(statements.update, user)
    }
  }
}

/** The columns of a new user. */
type NewState = Readonly<Record<'active' | 'blocked_at' | 'active_after_block' | 'now', SqlValue>>

/** A row with the identifier of a user of the host. */
type State =
  | { readonly kind: 'present'; readonly active: boolean; readonly claims: string }
  | { readonly kind: 'provisioned' | 'removed' | 'client' }

/** Returns a function that returns the states of the rows that have the identifiers of the users. */
function createStateReader(
  { run, engine }: Database,
  statements: ReturnType<typeof upsertStatements>,
): (users: readonly HostUser[]) => Promise<ReadonlyMap<string, State>> {
  const columns = createColumnReader(engine)

  return async (users) => {
    if (users.length === 0) return new Map()
    const rows = await run(statements.find, { ids: engine.encodeSearchable(users.map(({ userId }) => userId)) })
    return new Map(rows.map((row) => [columns.text(row, 'user_id'), stateOf(row)]))
  }

  function stateOf(row: SqlRow): State {
    const kind = columns.text(row, 'kind')
    if (kind !== 'present') return { kind: kind as Exclude<State['kind'], 'present'> }
    return { kind: 'present', active: columns.flag(row, 'active'), claims: columns.text(row, 'claims') }
  }
}

/** Encodes users in the order of their identifiers, so that concurrent batches do not deadlock. */
function encodePairs(users: readonly HostUser[], engine: SqlEngine) {
  const pairs = users.map(({ userId, claims }): [UserId, string] => [userId, JSON.stringify(claims)])
  return engine.encodeSearchable(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Returns the outcome for a user whom the statement has not written. */
function outcomeWithoutWrite(state: State | undefined): UpsertOutcome {
  // Users and clients leave tombstones, so the row that prevented the write still exists.
  if (state === undefined)
    throw new StorageUnavailableError('A user was not written, and no other row has the identifier')
  return state.kind === 'present' ? { outcome: 'unchanged', active: state.active } : { outcome: state.kind }
}

function upsertStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const columnNames = sql.raw(
    'issuer, user_id, claims, active, blocked_at, active_after_block, generation, created_at, updated_at, version',
  )
  /** Looks up each identifier by the key, with a plan that does not depend on the number of rows. */
  const hasOneOf = (table: string, column: string, { issuer, ids }: Record<'issuer' | 'ids', RawBuilder<unknown>>) =>
    engine.keyAmong({ issuerColumn: sql.ref(`${table}.issuer`), issuer, column: sql.ref(`${table}.${column}`) }, ids)

  return {
    upsert: compileSql(
      query,
      (p: Parameter<'issuer' | 'users' | 'active' | 'blocked_at' | 'active_after_block' | 'now'>) => {
        const pairs = engine.listedPairs(sql`${p('users')}`)
        const ids = sql`select pair.first from (${pairs}) as pair`
        const clients = sql`select client_id from mintmark_clients where ${hasOneOf('mintmark_clients', 'client_id', { issuer: sql`${p('issuer')}`, ids })}`
        return sql`insert into mintmark_users (${columnNames})
select ${p('issuer')}, host.first, host.second, ${p('active')}, ${p('blocked_at')}, ${p('active_after_block')}, 0, ${p('now')}, ${p('now')}, 1
from (${pairs}) as host where not ${engine.among(sql.ref('host.first'), clients)}
on conflict (issuer, user_id) do update
set claims = excluded.claims, updated_at = excluded.updated_at, version = mintmark_users.version + 1
where mintmark_users.removed_at is null and mintmark_users.provider_id is null and mintmark_users.claims <> excluded.claims
returning user_id, version, active`
      },
    ),

    insert: compileSql(
      query,
      (p: Parameter<'issuer' | 'user_id' | 'claims' | 'active' | 'blocked_at' | 'active_after_block' | 'now'>) =>
        sql`insert into mintmark_users (${columnNames})
select ${p('issuer')}, ${p('user_id')}, ${p('claims')}, ${p('active')}, ${p('blocked_at')}, ${p('active_after_block')}, 0, ${p('now')}, ${p('now')}, 1
where not exists (select 1 from mintmark_clients where issuer = ${p('issuer')} and client_id = ${p('user_id')})
returning user_id, version, active`,
    ),

    update: compileSql(query, (p: Parameter<'issuer' | 'user_id' | 'claims' | 'now'>) =>
      engine.changeRows({
        table: 'mintmark_users',
        set: sql`claims = ${p('claims')}, updated_at = ${p('now')}, version = version + 1`,
        where: sql`issuer = ${p('issuer')} and user_id = ${p('user_id')}
          and removed_at is null and provider_id is null and claims <> ${p('claims')}`,
        returning: sql`user_id, version, active`,
      }),
    ),

    // Clients first: a user with the same identifier takes precedence.
    find: compileSql(query, (p: Parameter<'issuer' | 'ids'>) => {
      const keys = { issuer: sql`${p('issuer')}`, ids: engine.listed(sql`${p('ids')}`) }
      return sql`select client_id as user_id, null as active, null as claims, 'client' as kind
from mintmark_clients where ${hasOneOf('mintmark_clients', 'client_id', keys)}
union all
select user_id, active, claims,
  case when removed_at is not null then 'removed' when provider_id is not null then 'provisioned' else 'present' end
from mintmark_users where ${hasOneOf('mintmark_users', 'user_id', keys)}`
    }),
  }
}
