import type { deliveries } from '@mintmark/storage-interface/records'
import { sql, type RawBuilder } from 'kysely'
import { type Database, compileSql, compileStatement, type Parameter, type Statement } from '../database.ts'
import type { RecordTable } from '../record-table.ts'

/**
 * Only the first delivery of a lane may be leased. If a receiver does not answer, those behind it are due and wait, and may be very
 * many. So the first statement examines a bounded number of deliveries. If all of them wait, the second statement reads the first
 * of each lane, except on MariaDB, which examines them all.
 */
export function leaseStatements(database: Pick<Database, 'query' | 'engine'>, table: RecordTable<typeof deliveries>) {
  const { query, engine } = database
  const parts = leaseParts(database, table)
  const { due, examined, firstOf, leaseAmong, leased } = parts
  return {
    leaseFirst: createLeaseFirst(engine, parts),

    lease: compileStatement((p: Parameter<Lease>) =>
      leaseAmong(
        p,
        sql`with due ${engine.materialized} (
    select delivery_id, recipient, due_at, lane, sequence from mintmark_deliveries where ${due(p)} ${examined(p)}
    order by due_at, delivery_id limit ${sql.lit(maximumExamined)} ${engine.skipLocked}
  )`,
      ),
    ),

    /** Leases the only delivery that is due: it needs no place among others, so this is several times as fast. */
    leaseOne: compileStatement((p: Parameter<Lease>) =>
      leased(
        p,
        sql`select delivery_id from mintmark_deliveries
    where ${due(p)} and (lane is null or sequence = ${firstOf(p, 'mintmark_deliveries.lane')})
    order by due_at, delivery_id limit 1 ${engine.skipLocked}`,
      ),
    ),

    countDue: compileSql(query, (p: Parameter<'issuer' | 'channel' | 'now'>) => {
      const due = sql`${engine.throughIndex('mintmark_deliveries', 'mintmark_deliveries_due')} where issuer = ${p('issuer')}
        and channel = ${p('channel')} and ${isPending} and due_at <= ${p('now')}`
      return sql`select ${engine.countUpTo(due, sql.lit(maximumExamined))} as counted`
    }),
  }
}

/** The candidates are looked up by their keys: the conditions are written so that no index of due deliveries answers them. */
function createLeaseFirst(
  engine: Database['engine'],
  parts: ReturnType<typeof leaseParts>,
): Statement<Lease> | undefined {
  const { byLane, firstOf, mayBeLeased, leaseAmong } = parts
  const { eachValue } = engine
  if (eachValue === undefined) return undefined
  return compileStatement((p: Parameter<Lease>) => {
    const withoutIndex = mayBeLeased(p, sql`due_at + 0`)
    const isInChannel = (alias: string) => sql`${sql.ref(`${alias}.issuer`)} = ${p('issuer')}
        and ${sql.ref(`${alias}.channel`)} = ${p('channel')} and ${sql.ref(`${alias}.state`)} = 'pending'`
    return leaseAmong(
      p,
      sql`with recursive lanes (lane) as (
    ${eachValue({ name: 'lanes', column: 'lane', from: byLane, where: isInChannel })}
  ), heads as (
    select lanes.lane as lane, ${firstOf(p, 'lanes.lane')} as sequence from lanes where lanes.lane is not null
  ), candidates as (
    select item.delivery_id from heads cross join ${byLane('item')}
      where ${isInChannel('item')} and item.lane = heads.lane and item.sequence = heads.sequence
    union all
    select * from (select free.delivery_id from ${byLane('free')} where ${isInChannel('free')} and free.lane is null
      and ${withoutIndex} limit ${sql.lit(maximumExamined)}) as free
  ), due ${engine.materialized} (
    select delivery_id, recipient, due_at, lane, sequence from mintmark_deliveries
    where ${engine.keyAmong({ issuerColumn: sql`issuer`, issuer: sql`${p('issuer')}`, column: sql`delivery_id` }, sql`select delivery_id from candidates`)}
      and state = ${p('pending')} and ${withoutIndex}
    order by due_at, delivery_id limit ${sql.lit(maximumExamined)} ${engine.skipLocked}
  )`,
    )
  })
}

type Lease = 'issuer' | 'channel' | 'now' | 'until' | 'token' | 'limit' | 'per_recipient' | 'except' | 'pending'

/** A literal: the database uses the indexes of pending deliveries only when the state is part of the statement. */
export const isPending = sql.raw<boolean>(`state = 'pending'`)

/** The parts that the statements share. */
function leaseParts({ query, engine }: Pick<Database, 'query' | 'engine'>, table: RecordTable<typeof deliveries>) {
  const mayBeLeased = (p: Parameter<Lease>, dueAt: RawBuilder<unknown>) =>
    sql`${dueAt} <= ${p('now')} and recipient not in (${engine.listed(sql`${p('except')}`)})`

  const due = (p: Parameter<Lease>) =>
    sql`issuer = ${p('issuer')} and channel = ${p('channel')} and ${isPending} and ${mayBeLeased(p, sql`due_at`)}`

  const byLane = (alias?: string) => engine.throughIndex('mintmark_deliveries', 'mintmark_deliveries_by_lane', alias)

  /** The sequence of the first delivery of a lane. */
  const firstOf = (p: Parameter<Lease>, lane: string) =>
    sql`(select first.sequence from ${byLane('first')}
        where first.issuer = ${p('issuer')} and first.channel = ${p('channel')} and first.state = 'pending'
          and first.lane = ${sql.ref(lane)} order by first.sequence limit 1)`

  /** Without the second statement, those that wait do not count as examined. */
  const examined = (p: Parameter<Lease>) =>
    engine.eachValue === undefined
      ? sql`and (lane is null or sequence = ${firstOf(p, 'mintmark_deliveries.lane')})`
      : sql``

  /** @param candidates common table expressions, of which the last is `due`. */
  const leaseAmong = (p: Parameter<Lease>, candidates: RawBuilder<unknown>) =>
    leased(
      p,
      sql`${candidates}, due_lanes as (
    select distinct lane from due where lane is not null
  ), firsts as (
    select lane, ${firstOf(p, 'due_lanes.lane')} as sequence from due_lanes
  ), ranked as (
    select delivery_id, due_at, row_number() over (partition by recipient order by due_at, delivery_id) as place from due
    where lane is null or (lane, sequence) in (select lane, sequence from firsts)
  )
  select delivery_id from ranked where place <= ${p('per_recipient')} order by due_at, delivery_id limit ${p('limit')}`,
    )

  /** @param identifiers a query for those of the deliveries. */
  const leased = (p: Parameter<Lease>, identifiers: RawBuilder<unknown>) =>
    query
      .updateTable('mintmark_deliveries')
      .set({ due_at: p('until'), lease_token: p('token') })
      .where('issuer', '=', p('issuer'))
      .where(engine.among(sql.ref('delivery_id'), identifiers))
      .returning(table.selection)

  return { mayBeLeased, due, byLane, firstOf, examined, leaseAmong, leased }
}

/**
 * A lease examines at most this many due deliveries, and then the first of each lane. If one recipient has all of them, the next
 * lease names it in `except`.
 */
export const maximumExamined = 500
