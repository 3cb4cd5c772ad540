import {
  giveBack,
  takeConnection,
  withTimeout,
  type PostgresClient,
  type PostgresPool,
  type PostgresResult,
} from './connection.ts'

/** A statement whose caller has given up, and the connection on which it still runs. */
interface LateStatement {
  readonly client: PostgresClient
  readonly unanswered: Promise<PostgresResult>
}

/** Cancels a late statement, and returns its connection when the statement is over. */
export type EndLateStatement = (late: LateStatement) => void

interface Late extends LateStatement {
  /** The statement that cancels it, while that is under way. */
  cancelling: Promise<unknown> | undefined
}

/**
 * PostgreSQL does not notice that the caller of a statement is gone. If its connection were closed, the statement would go on,
 * and the pool would open another connection beside it. So the connection stays in use until the statement is over.
 *
 * One connection of the pool cancels all late statements. When they occupy the whole pool, one of them is closed to make
 * room for it: then the server has one backend more than the pool, and never two. If the server does not answer, all of
 * them are closed.
 */
export function createLateStatements(pool: PostgresPool, timeoutMilliseconds: number): EndLateStatement {
  /** Each with a promise that its connection is returned or closed. */
  const late = new Map<Late, Promise<void>>()
  let isCancelling = false

  function leave(statement: Late, { isSound }: { readonly isSound: boolean }): void {
    if (late.delete(statement)) giveBack(statement.client, { isSound })
  }

  async function returnWhenOver(statement: Late): Promise<void> {
    await settled(statement.unanswered)
    if (!late.has(statement)) return
    try {
      // A cancellation that comes later would hit the next statement of the connection.
      await withTimeout(settled(statement.cancelling), timeoutMilliseconds)
      // The statement may have been one of a transaction, which is undone.
      await withTimeout(statement.client.query({ text: 'ROLLBACK' }), timeoutMilliseconds)
      leave(statement, { isSound: true })
    } catch {
      // The connection is of no use, and the caller has its answer already.
      leave(statement, { isSound: false })
    }
  }

  /** Takes a connection, for which one of the late statements is closed if need be. */
  async function takeForCancelling(): Promise<{
    readonly client: PostgresClient
    readonly closed: LateStatement | undefined
  }> {
    let closed: Late | undefined
    const makeRoom = (): void => {
      const [first] = late.keys()
      if (closed !== undefined || first === undefined) return
      closed = first
      leave(first, { isSound: false })
    }
    const alarm = setTimeout(makeRoom, timeoutMilliseconds)
    try {
      const client = await takeConnection(pool, 2 * timeoutMilliseconds)
      return { client, closed }
    } catch (error) {
      // The pool may have a shorter time limit of its own.
      if (closed !== undefined) throw error
      makeRoom()
      const client = await takeConnection(pool, timeoutMilliseconds)
      return { client, closed }
    } finally {
      clearTimeout(alarm)
    }
  }

  async function cancelAll(): Promise<void> {
    const { client, closed } = await takeForCancelling()
    const cancelled = [...late.keys()]
    const returned = Promise.all(late.values())
    const processIds = [closed, ...cancelled].flatMap((statement) => statement?.client.processID ?? [])
    const cancelling = client.query({
      text: 'SELECT pg_cancel_backend(id) FROM unnest($1::int[]) AS id',
      values: [processIds],
    })
    for (const statement of cancelled) statement.cancelling = cancelling
    let isSound = false
    try {
      await withTimeout(cancelling, timeoutMilliseconds)
      isSound = true
    } finally {
      giveBack(client, { isSound })
    }
    await withTimeout(returned, timeoutMilliseconds)
  }

  async function cancelUntilNone(): Promise<void> {
    isCancelling = true
    while (late.size > 0) {
      const before = [...late.keys()]
      try {
        await cancelAll()
      } catch {
        // The server does not answer, or these connections are broken.
        for (const statement of before) leave(statement, { isSound: false })
      }
    }
    isCancelling = false
  }

  return (given) => {
    const statement: Late = { ...given, cancelling: undefined }
    late.set(statement, returnWhenOver(statement))
    if (!isCancelling) void cancelUntilNone()
  }
}

/** Waits until the work has succeeded or failed. */
async function settled(work: Promise<unknown> | undefined): Promise<void> {
  try {
    await work
  } catch {
    // Its caller has received the error.
  }
}
