// One file: the methods of the stores for deliveries and cursors, and their statements.

import { type EpochSeconds, epochSeconds } from '@mintmark/storage-interface'
import {
  countLimit,
  untilSettled,
  type CursorStore,
  type DeliveryResult,
  type DeliveryStore,
} from '@mintmark/storage-interface/stores'
import { cursors, deliveries } from '@mintmark/storage-interface/records'
import { sql, type RawBuilder } from 'kysely'
import { type Database, compileSql, compileStatement, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'
import { isPending, leaseStatements, maximumExamined } from './lease-statements.ts'
import { createColumnReader } from '../row.ts'

export function createDeliveryStore(database: Database): DeliveryStore {
  const table = recordTable(database, deliveries)
  return { ...createQueue(database, table), ...createDeadLetters(database, table) }
}

/** What producers and workers do with deliveries. */
function createQueue(
  { query, engine, run }: Database,
  table: RecordTable<typeof deliveries>,
): Pick<DeliveryStore, 'enqueue' | 'lease' | 'nextDueAt' | 'settle'> {
  const statements = queueStatements({ query, engine }, table)
  const columns = createColumnReader(engine)

  /** Counts the deliveries that are due, up to the number that a lease examines. */
  async function countDue(channel: string, now: EpochSeconds): Promise<number> {
    const [row] = await run(statements.countDue, { channel, now })
    return row === undefined ? 0 : columns.integer(row, 'counted')
  }

  return {
    async enqueue(records) {
      let inserted = 0
      for (const record of records) {
        const unsent = { attempts: 0, leaseToken: undefined, lastFailure: undefined, settledAt: undefined } as const
        if (await table.insert({ ...record, ...unsent, state: 'pending', dueAt: record.createdAt })) inserted += 1
      }
      return { inserted }
    },

    async lease({ channel, now, until, token, limit, perRecipient, except }) {
      // Workers ask until nothing is due. The statement that leases is a write, and takes ten times as long.
      const due = await countDue(channel, now)
      if (due === 0) return []
      const request = {
        channel,
        now,
        until,
        token,
        limit,
        per_recipient: perRecipient,
        except: engine.encodeSearchable([...except]),
        pending: states.pending,
      }
      const examined = await run(due === 1 ? statements.leaseOne : statements.lease, request)
      const { leaseFirst } = statements
      const isWhole = leaseFirst === undefined || examined.length > 0 || due < maximumExamined
      const rows = isWhole ? examined : await run(leaseFirst, request)
      // `UPDATE … RETURNING` returns rows in no particular order.
      return rows.map(table.read).toSorted((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1))
    },

    async nextDueAt(channel) {
      const [row] = await run(statements.nextDue, { channel })
      return row && epochSeconds(columns.integer(row, 'due_at'))
    },

    async settle({ deliveryId, token, result, now }) {
      const rows = await run(statements.settle, {
        ...states,
        delivery_id: deliveryId,
        token,
        ...settledColumns(result, now),
      })
      return { outcome: rows.length > 0 ? 'settled' : 'lost' }
    },
  }
}

/** What administrators do with deliveries. */
function createDeadLetters(
  { query, engine, run }: Database,
  table: RecordTable<typeof deliveries>,
): Pick<DeliveryStore, 'requeue' | 'find' | 'list' | 'counts'> {
  const statements = deadLetterStatements(query, table)
  const columns = createColumnReader(engine)

  return {
    async requeue({ deliveryId, now, expiresAt, keptUntil }) {
      return untilSettled(async () => {
        const change = { ...states, delivery_id: deliveryId, due_at: now, expires_at: expiresAt, kept_until: keptUntil }
        const [requeued] = await run(statements.requeue, change)
        if (requeued !== undefined) return { outcome: 'requeued' }

        const [row] = await run(statements.find, { delivery_id: deliveryId })
        if (row === undefined) return { outcome: 'absent' }
        return table.read(row).state === 'dead' ? undefined : { outcome: 'unchanged' }
      })
    },

    async find(deliveryId) {
      const [row] = await run(statements.find, { delivery_id: deliveryId })
      return row && table.read(row)
    },

    async list({ state, recipient, before = endOfText, limit }) {
      const page = { state, before, limit }
      const rows =
        recipient === undefined
          ? await run(statements.list, page)
          : await run(statements.listOfRecipient, { ...page, recipient })
      return rows.map(table.read)
    },

    async counts() {
      const [row] = await run(statements.counts, states)
      if (row === undefined) throw new Error('The count query returned no row')
      const oldest = columns.optionalInteger(row, 'oldest')
      return {
        pending: columns.integer(row, 'pending'),
        dead: columns.integer(row, 'dead'),
        oldestPendingAt: oldest === undefined ? undefined : epochSeconds(oldest),
      }
    },
  }
}

/** Sorts after every delivery identifier. */
const endOfText = '\u{7F}'

type Settled = Record<'state' | 'attempted' | 'due_at' | 'kept_until' | 'last_failure' | 'settled_at', SqlValue>

/** Returns the new values of the columns. NULL keeps the old value, because no result removes a value. */
function settledColumns(result: DeliveryResult, now: EpochSeconds): Settled {
  const { kind } = result
  const isFinal = kind === 'delivered' || kind === 'dead'
  return {
    state: isFinal ? kind : 'pending',
    attempted: kind === 'postponed' ? 0 : 1,
    due_at: isFinal ? null : result.dueAt,
    kept_until: isFinal ? result.keptUntil : null,
    last_failure: kind === 'retry' || kind === 'dead' ? result.failure : null,
    settled_at: isFinal ? now : null,
  }
}

type Requeued = 'issuer' | 'delivery_id' | 'due_at' | 'expires_at' | 'kept_until' | 'pending' | 'dead'

/**
 * The states as parameters. A statement that finds its rows by another key must not use the index of due deliveries. Only a
 * lease has the state as a literal.
 */
const states = { pending: 'pending', dead: 'dead' }

function queueStatements({ query, engine }: Pick<Database, 'query' | 'engine'>, table: RecordTable<typeof deliveries>) {
  return {
    ...leaseStatements({ query, engine }, table),

    nextDue: compileStatement((p: Parameter<'issuer' | 'channel'>) =>
      query
        .selectFrom('mintmark_deliveries')
        .select('due_at')
        .where('issuer', '=', p('issuer'))
        .where('channel', '=', p('channel'))
        .where(isPending)
        .orderBy('due_at')
        .limit(1),
    ),

    settle: compileStatement((p: Parameter<'issuer' | 'delivery_id' | 'token' | 'pending' | keyof Settled>) =>
      query
        .updateTable('mintmark_deliveries')
        .set((set) => ({
          state: p('state'),
          attempts: set('attempts', '+', p('attempted') as number),
          due_at: orUnchanged(p('due_at'), 'due_at'),
          kept_until: orUnchanged(p('kept_until'), 'kept_until'),
          last_failure: orUnchanged(p('last_failure'), 'last_failure'),
          settled_at: orUnchanged(p('settled_at'), 'settled_at'),
          lease_token: null,
        }))
        .where('issuer', '=', p('issuer'))
        .where('delivery_id', '=', p('delivery_id'))
        .where('lease_token', '=', p('token'))
        .where('state', '=', p('pending'))
        .returning('delivery_id'),
    ),
  }
}

function deadLetterStatements(query: Database['query'], table: RecordTable<typeof deliveries>) {
  return {
    requeue: compileStatement((p: Parameter<Requeued>) =>
      query
        .updateTable('mintmark_deliveries')
        .set({
          state: p('pending'),
          attempts: 0,
          due_at: p('due_at'),
          expires_at: p('expires_at'),
          kept_until: p('kept_until'),
          settled_at: null,
        })
        .where('issuer', '=', p('issuer'))
        .where('delivery_id', '=', p('delivery_id'))
        .where('state', '=', p('dead'))
        .returning('delivery_id'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'delivery_id'>) =>
      query
        .selectFrom('mintmark_deliveries')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('delivery_id', '=', p('delivery_id')),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'state' | 'before' | 'limit'>) => page(p).select(table.selection)),

    listOfRecipient: compileStatement((p: Parameter<'issuer' | 'state' | 'before' | 'limit' | 'recipient'>) =>
      page(p).select(table.selection).where('recipient', '=', p('recipient')),
    ),

    counts: compileSql(query, (p: Parameter<'issuer' | 'pending' | 'dead'>) => {
      const count = (state: SqlValue) =>
        sql`(select count(*) from (select 1 from mintmark_deliveries where issuer = ${p('issuer')} and state = ${state} limit ${sql.lit(countLimit)}) as counted)`
      return sql`select ${count(p('pending'))} as pending, ${count(p('dead'))} as dead,
  (select created_at from mintmark_deliveries where issuer = ${p('issuer')} and state = ${p('pending')} order by delivery_id limit 1) as oldest`
    }),
  }

  function page(p: Parameter<'issuer' | 'state' | 'before' | 'limit'>) {
    return query
      .selectFrom('mintmark_deliveries')
      .where('issuer', '=', p('issuer'))
      .where('state', '=', p('state'))
      .where('delivery_id', '<', p('before'))
      .orderBy('delivery_id', 'desc')
      .limit((limit) => limit.val(p('limit') as number))
  }
}

const orUnchanged = (value: SqlValue, column: string): RawBuilder<SqlValue> =>
  sql`coalesce(${value}, ${sql.ref(column)})`

export function createCursorStore(database: Database): CursorStore {
  const { query, run } = database
  const table = recordTable(database, cursors)
  const statements = {
    read: compileStatement((p: Parameter<'issuer' | 'consumer'>) =>
      query
        .selectFrom('mintmark_cursors')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('consumer', '=', p('consumer')),
    ),
    swap: compileStatement((p: Parameter<'issuer' | 'consumer' | 'position' | 'read_at' | 'version'>) =>
      query
        .updateTable('mintmark_cursors')
        .set((set) => ({ position: p('position'), read_at: p('read_at'), version: set('version', '+', 1) }))
        .where('issuer', '=', p('issuer'))
        .where('consumer', '=', p('consumer'))
        .where('version', '=', p('version'))
        .returning(table.selection),
    ),
  }

  return {
    async read(consumer) {
      const [row] = await run(statements.read, { consumer })
      return row && table.read(row)
    },

    async compareAndSwap({ consumer, position, readAt }, version) {
      const record = { consumer, position, readAt, version: version + 1 }
      if (version === 0) return (await table.insert(record)) ? { outcome: 'swapped', record } : { outcome: 'conflict' }
      const [row] = await run(statements.swap, { consumer, position, read_at: readAt, version })
      return row === undefined ? { outcome: 'conflict' } : { outcome: 'swapped', record: table.read(row) }
    },
  }
}
