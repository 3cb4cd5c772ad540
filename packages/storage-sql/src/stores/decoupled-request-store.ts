import {
  type DecoupledRequestRecord,
  type DecoupledRequestStore,
  type PollOutcome,
  slowedInterval,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { decoupledRequests } from '@mintmark/storage-interface/records'
import type { EpochSeconds } from '@mintmark/storage-interface'
import { createColumnReader } from '../row.ts'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { encodeMembers, recordTable, type RecordTable } from '../record-table.ts'

export function createDecoupledRequestStore(database: Database): DecoupledRequestStore {
  const { engine, run } = database
  const table = recordTable(database, decoupledRequests)
  const statements = decoupledRequestStatements(database, table)

  return {
    async insert(request) {
      return { outcome: (await table.insert(request)) ? 'inserted' : 'taken' }
    },

    async find(digest, now) {
      const [row] = await run(statements.find, { digest, now })
      return row === undefined ? undefined : table.read(row)
    },

    async findByUserCode(userCodeDigest, now) {
      const [row] = await run(statements.findByUserCode, { user_code_digest: userCodeDigest, now })
      return row === undefined ? undefined : table.read(row)
    },

    async decide({ digest, decision, now }) {
      const approval = decision.status === 'approved' ? decision.approval : undefined
      const { status, approval: encoded = null } = encodeMembers(
        decoupledRequests.fields,
        { status: decision.status, approval },
        engine,
      )
      return untilSettled(async () => {
        const [decided] = await run(statements.decide, { digest, now, status: status ?? null, approval: encoded })
        if (decided !== undefined) return { outcome: 'decided', record: table.read(decided) }

        const [row] = await run(statements.find, { digest, now })
        if (row === undefined) return { outcome: 'absent' }
        const record = table.read(row)
        if (record.status !== 'pending') return { outcome: 'conflict' }
        return now < record.usableUntil ? undefined : { outcome: 'expired' }
      })
    },

    poll: createPoll(database, { table, statements }),
  }
}

function createPoll(
  { engine, run }: Database,
  {
    table,
    statements,
  }: {
    readonly table: RecordTable<typeof decoupledRequests>
    readonly statements: ReturnType<typeof decoupledRequestStatements>
  },
): DecoupledRequestStore['poll'] {
  const columns = createColumnReader(engine)

  /** Answers from the row, or with a write that succeeds only while the row is as it was read. */
  async function attemptPoll(request: Parameters<DecoupledRequestStore['poll']>[0]): Promise<PollOutcome | undefined> {
    const { digest, clientId, now } = request
    const [row] = await run(statements.find, { digest, now })
    if (row === undefined) return { outcome: 'absent' }
    const record = table.read(row)
    if (record.clientId !== clientId) return { outcome: 'absent' }
    if (columns.has(table.take(row), 'consumed_at')) return { outcome: 'replayed', record }
    if (!(now < record.usableUntil)) return { outcome: 'expired' }
    if (record.status === 'denied') return { outcome: 'denied' }
    if (record.status === 'pending') return pollPending(record, now)

    const [won] = await run(statements.consume, { digest, now })
    return won === undefined ? undefined : { outcome: 'won', record: table.read(won) }
  }

  async function pollPending(record: DecoupledRequestRecord, now: EpochSeconds): Promise<PollOutcome | undefined> {
    const slowed = slowedInterval(record, now)
    const { digest, pollInterval, lastPolledAt } = record
    const [written] = await run(statements.recordPoll, {
      digest,
      now,
      interval: slowed ?? pollInterval,
      polled_at: slowed === undefined ? now : (lastPolledAt ?? null),
      read_interval: pollInterval,
      read_polled_at: lastPolledAt ?? 0,
    })
    if (written === undefined) return undefined
    return { outcome: slowed === undefined ? 'pending' : 'slow_down' }
  }

  return (request) => untilSettled(() => attemptPoll(request))
}

type Use = 'issuer' | 'digest' | 'now'

function decoupledRequestStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof decoupledRequests>) {
  const usable = (p: Parameter<Use>) =>
    query
      .updateTable('mintmark_decoupled_requests')
      .where('issuer', '=', p('issuer'))
      .where('digest', '=', p('digest'))
      .where('usable_until', '>', p('now'))

  return {
    find: compileStatement((p: Parameter<Use>) =>
      query
        .selectFrom('mintmark_decoupled_requests')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('expires_at', '>', p('now')),
    ),

    findByUserCode: compileStatement((p: Parameter<'issuer' | 'user_code_digest' | 'now'>) =>
      query
        .selectFrom('mintmark_decoupled_requests')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('user_code_digest', '=', p('user_code_digest'))
        .where('usable_until', '>', p('now'))
        .where('status', '=', 'pending'),
    ),

    decide: compileStatement((p: Parameter<Use | 'status' | 'approval'>) =>
      usable(p)
        .set({ status: p('status'), approval: p('approval') })
        .where('status', '=', 'pending')
        .returning(table.selection),
    ),

    // RFC 8628 §3.5: one poll gets the tokens, because the engine lets one writer at a time change a row.
    consume: compileStatement((p: Parameter<Use>) =>
      usable(p)
        .set({ consumed_at: p('now') })
        .where('status', '=', 'approved')
        .where('consumed_at', 'is', null)
        .returning(table.selection),
    ),

    recordPoll: compileStatement((p: Parameter<Use | 'interval' | 'polled_at' | 'read_interval' | 'read_polled_at'>) =>
      usable(p)
        .set({ poll_interval: p('interval'), last_polled_at: p('polled_at') })
        .where('status', '=', 'pending')
        .where('poll_interval', '=', p('read_interval'))
        .where((where) => where(where.fn.coalesce('last_polled_at', where.lit(0)), '=', p('read_polled_at')))
        .returning('digest'),
    ),
  }
}
