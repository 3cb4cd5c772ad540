import { giveBack, takeConnection, withTimeout, type PostgresClient, type PostgresPool } from './connection.ts'

/** A statement whose caller has given up, and the connection on which it still runs. */
interface LateStatement {
  readonly client: PostgresClient
  readonly unanswered: Promise<unknown>
  /** Whether a pooler is in between, so that the number of the server process is not known. */
  readonly hasPooler: boolean
}

/** Cancels a late statement, and returns its connection when the statement has ended. */
export type EndLateStatement = (late: LateStatement) => void

interface Late extends LateStatement {
  /** The query that cancels it, while that query runs. */
  cancelling: Promise<unknown> | undefined
}

/**
 * PostgreSQL does not notice that the caller of a statement has given up. If its connection were closed, the statement would
 * go on, and the pool would open another connection. So the connection stays in use until the statement has ended.
 *
 * One connection of the pool cancels all late statements. When they occupy the whole pool, the connection of one of them is
 * closed to make room for that connection. The server then has one more backend than the pool has connections, and never two.
 * If the server does not answer, the connections of all late statements are closed. A cancellation misses a statement that the
 * server has not read yet, so the backends of closed connections are terminated instead.
 *
 * A commit that waits for a synchronous standby is left alone: if it were cancelled, its changes would become visible, and others
 * would be told about changes that a fail-over will lose.
 *
 * Behind a pooler, the connection is closed at once: the number that the pooler has given could be that of another program's
 * backend. The statement goes on until the server notices that its connection has been closed.
 */
export function createLateStatements(pool: PostgresPool, timeoutMilliseconds: number): EndLateStatement {
  /** The late statements, each with a promise that its connection is returned or closed. */
  const late = new Map<Late, Promise<void>>()
  /** The backends of closed connections, whose statements may still run. */
  const closedBackends = new Set<number>()
  let isCancelling = false

  function close(statement: Late): void {
    const { processID } = statement.client
    if (late.has(statement) && processID !== undefined && processID !== null) closedBackends.add(processID)
    giveBackOnce(statement, { isSound: false })
  }

  function giveBackOnce(statement: Late, { isSound }: { readonly isSound: boolean }): void {
    if (late.delete(statement)) giveBack(statement.client, { isSound })
  }

  async function returnWhenEnded(statement: Late): Promise<void> {
    await waitUntilSettled(statement.unanswered)
    if (!late.has(statement)) return
    try {
      // A cancellation that comes later would cancel the next statement of the connection.
      await withTimeout(waitUntilSettled(statement.cancelling), timeoutMilliseconds)
      // If the statement was part of a transaction, the transaction must be rolled back.
      await withTimeout(statement.client.query({ text: 'ROLLBACK' }), timeoutMilliseconds)
      giveBackOnce(statement, { isSound: true })
    } catch {
      // The connection is of no use, and the caller has its answer already.
      giveBackOnce(statement, { isSound: false })
    }
  }

  /** Takes a connection. If necessary, closes the connection of a late statement to make room. */
  async function takeForCancelling(): Promise<PostgresClient> {
    let isClosed = false
    const makeRoom = (): void => {
      const [first] = late.keys()
      if (isClosed || first === undefined) return
      isClosed = true
      close(first)
    }
    const alarm = setTimeout(makeRoom, timeoutMilliseconds)
    try {
      return await takeConnection(pool, 2 * timeoutMilliseconds)
    } catch {
      // The pool may have a shorter time limit.
      makeRoom()
      return await takeConnection(pool, timeoutMilliseconds)
    } finally {
      clearTimeout(alarm)
    }
  }

  async function cancelAll(): Promise<void> {
    const client = await takeForCancelling()
    const cancelled = [...late.keys()]
    const returned = Promise.all(late.values())
    const terminated = [...closedBackends]
    const cancelling = client.query({
      text: endStatements,
      values: [cancelled.flatMap((statement) => statement.client.processID ?? []), terminated],
    })
    for (const statement of cancelled) statement.cancelling = cancelling
    let isSound = false
    try {
      await withTimeout(cancelling, timeoutMilliseconds)
      for (const processId of terminated) closedBackends.delete(processId)
      isSound = true
    } finally {
      giveBack(client, { isSound })
    }
    await withTimeout(returned, timeoutMilliseconds)
  }

  async function cancelUntilNone(): Promise<void> {
    isCancelling = true
    let attempts = 0
    while (late.size > 0 || (closedBackends.size > 0 && attempts < maximumAttempts)) {
      const before = [...late.keys()]
      attempts = before.length > 0 ? 0 : attempts + 1
      try {
        await cancelAll()
      } catch {
        // The server does not answer, or these connections are broken.
        for (const statement of before) close(statement)
      }
    }
    // If some backends were not terminated, the server does not answer, and may have lost them as well.
    closedBackends.clear()
    isCancelling = false
  }

  return (lateStatement) => {
    if (lateStatement.hasPooler) {
      void waitUntilSettled(lateStatement.unanswered)
      giveBack(lateStatement.client, { isSound: false })
      return
    }
    const statement: Late = { ...lateStatement, cancelling: undefined }
    late.set(statement, returnWhenEnded(statement))
    if (!isCancelling) void cancelUntilNone()
  }
}

const endStatements = `WITH committing AS (SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep')
  SELECT pg_cancel_backend(id) FROM unnest($1::int[]) AS id WHERE id NOT IN (TABLE committing)
  UNION ALL SELECT pg_terminate_backend(id) FROM unnest($2::int[]) AS id WHERE id NOT IN (TABLE committing)`

/** How many times to try to terminate the backends of closed connections when no statement is late. */
const maximumAttempts = 3

/** Waits until the work has succeeded or failed. */
async function waitUntilSettled(work: Promise<unknown> | undefined): Promise<void> {
  try {
    await work
  } catch {
    // Its caller has received the error.
  }
}
