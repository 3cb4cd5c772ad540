import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSharedWork } from '@mintmark/internal'
import { StorageUnavailableError, type UserId } from '@mintmark/storage-interface'
import type { GroupId, ProviderId } from '@mintmark/storage-interface/stores'
import { type RawBuilder, sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import type { SqlStep } from '../dialect.ts'
import { createColumnReader } from '../row.ts'
import { isAmong, membersInSlice, ofIssuer } from './group-members.ts'

/**
 * Creates functions that remove the memberships of a user or a group that was in more groups than one transaction may
 * change. The transaction that removes the user records the departure. From then on the user is gone. The memberships
 * follow in short transactions, each of which advances the versions of its groups. Whoever reads a group, or the members
 * of one, carries out the rest first, even after a crash.
 */
export function createDepartures(database: Database) {
  const { engine, run, step, transact } = database
  const statements = departureStatements(database)
  const columns = createColumnReader(engine)
  const share = createSharedWork<void>()

  async function carryOut(memberId: string): Promise<void> {
    const key = { member_id: memberId }
    for (;;) {
      const rows = await run(statements.nextGroups, key)
      const values = { ...key, groups: engine.encodeSearchable(rows.map((row) => columns.text(row, 'group_id'))) }
      const slice: readonly SqlStep[] =
        rows.length === 0
          ? [step(statements.finish, key)]
          : [
              step(statements.lockGroups, values),
              step(statements.touch, values),
              step(statements.removeMembers, values),
            ]
      const kept = await transact([step(statements.keep, key, 'guard'), ...slice])
      // Another process has finished, or this one has.
      if (kept === undefined || rows.length === 0) return
      await nextTurn()
    }
  }

  const carryOutOnce = (memberId: string): Promise<void> => share(memberId, () => carryOut(memberId))

  return {
    /** Removes the memberships of a member who has left. */
    carryOut: carryOutOnce,

    /** Removes the memberships of a user, if the user has left. */
    async finishUser(userId: UserId): Promise<void> {
      if ((await run(statements.find, { member_id: userId })).length > 0) await carryOutOnce(userId)
    },

    /** Removes the memberships of members of any provider, such as those that a crashed process has left. */
    async finishAny(): Promise<void> {
      for (const row of await run(statements.findAny, {})) await carryOutOnce(columns.text(row, 'member_id'))
    },

    /** Whether a group is in more groups than one transaction may change. */
    async isInMany(groupId: GroupId): Promise<boolean> {
      const [counted] = await run(statements.countUpToSlice, { member_id: groupId })
      return counted !== undefined && columns.integer(counted, 'memberships') > membersInSlice
    },

    /** Returns a step that records the departure of a group that is removed. */
    record: (providerId: ProviderId, groupId: GroupId, now: number): SqlStep =>
      step(statements.record, { provider_id: providerId, member_id: groupId, now }),
  }
}

/** Does work that is recorded. If the database cannot answer now, the next reader does it. */
export async function unlessUnavailable(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error
  }
}

/** Whether memberships of users or groups that have left the provider are not removed yet. */
export const hasDepartures = (p: Parameter<'issuer' | 'provider_id'>): RawBuilder<boolean> =>
  // The order makes PostgreSQL use the index.
  sql<boolean>`((select member_id from ${departuresOf(p)} order by member_id limit 1) is not null)`

/** The departures of a provider. There are few, because each is carried out by the request that records it. */
export const departuresOf = (p: Parameter<'issuer' | 'provider_id'>): RawBuilder<unknown> =>
  sql`mintmark_departures where issuer = ${p('issuer')} and provider_id = ${p('provider_id')} and member_id > ''`

type Key = 'issuer' | 'member_id'

const isThis = (p: Parameter<Key>) => sql`issuer = ${p('issuer')} and member_id = ${p('member_id')}`

const memberships = (p: Parameter<Key>) => sql`mintmark_group_members where ${isThis(p)}`

function departureStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const isInSlice = (p: Parameter<'issuer' | 'groups'>) =>
    isAmong(p, { engine, column: sql`group_id`, values: engine.listed(sql`${p('groups')}`) })

  return {
    find: compileSql(query, (p: Parameter<Key>) => sql`select member_id from mintmark_departures where ${isThis(p)}`),
    findAny: compileSql(
      query,
      (p: Parameter<'issuer'>) =>
        sql`select member_id from mintmark_departures where issuer = ${p('issuer')} and member_id > ''
          order by member_id limit 10`,
    ),
    record: compileSql(
      query,
      (
        p: Parameter<Key | 'provider_id' | 'now'>,
      ) => sql`insert into mintmark_departures (issuer, provider_id, member_id, left_at)
        values (${p('issuer')}, ${p('provider_id')}, ${p('member_id')}, ${p('now')})`,
    ),
    countUpToSlice: compileSql(
      query,
      (p: Parameter<Key>) =>
        sql`select count(*) as memberships from (select 1 from ${memberships(p)} limit ${sql.lit(membersInSlice + 1)}) as counted`,
    ),
    nextGroups: compileSql(
      query,
      (p: Parameter<Key>) =>
        sql`select group_id from ${memberships(p)} order by group_id limit ${sql.lit(membersInSlice)}`,
    ),
    /** Locks the departure: other processes that carry it out wait. */
    keep: compileSql(
      query,
      (p: Parameter<Key>) =>
        sql`select member_id from mintmark_departures where ${isThis(p)} ${sql.raw(engine.types.lockForRemoval)}`,
    ),
    /** In one order, so that two departures from the same groups do not deadlock. */
    lockGroups: compileSql(
      query,
      (p: Parameter<'issuer' | 'groups'>) =>
        sql`select group_id from mintmark_groups where ${isInSlice(p)} order by group_id ${sql.raw(engine.types.lockRows)}`,
    ),
    touch: compileSql(query, (p: Parameter<Key | 'groups'>) =>
      engine.changeAmong({
        table: 'mintmark_groups',
        set: sql`version = version + 1,
          updated_at = (select case when left_at > mintmark_groups.updated_at then left_at else mintmark_groups.updated_at end
            from mintmark_departures where ${isThis(p)})`,
        key: ofIssuer(p, sql`group_id`),
        values: sql`select group_id from ${memberships(p)} and ${isInSlice(p)}`,
      }),
    ),
    removeMembers: compileSql(
      query,
      (p: Parameter<Key | 'groups'>) => sql`delete from ${memberships(p)} and ${isInSlice(p)}`,
    ),
    finish: compileSql(query, (p: Parameter<Key>) => sql`delete from mintmark_departures where ${isThis(p)}`),
  }
}
