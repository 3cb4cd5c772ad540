import { setImmediate } from 'node:timers'
import { compareText } from '@mintmark/storage-interface/stores'
import { asStorageError, type PostgresResult, type PostgresStatement } from './connection.ts'
import { OneByOneError, runStatement, tryTogether, type TimedPool } from './run.ts'

interface Waiting {
  readonly statement: PostgresStatement
  /** Statements are sent in the order of their keys. */
  readonly key: string
  readonly resolve: (result: PostgresResult | Promise<PostgresResult>) => void
  readonly reject: (error: unknown) => void
}

type RunTogether = (statement: PostgresStatement, key?: string) => Promise<PostgresResult>

/**
 * Returns a function that runs lookups: queries that find a few rows by their keys, and wait for no row. Those that requests make in
 * the same turn of the event loop are sent together, because a packet takes more processor time, here and in the server, than the
 * query in it. Each sees what was committed before it began. If they fail together, each runs alone.
 */
export const createLookups = (pool: TimedPool): RunTogether => createTogether(pool, { isRead: true })

/**
 * Returns a function that runs writes of one row each, whose key only their requests know. They are sent together as lookups are, in
 * one transaction. If one of them fails, nothing was written, and each runs alone; if the connection breaks, all of them fail, because
 * they may have been written. They lock their rows in one order, so that two such transactions never wait for each other.
 */
export const createOwnWrites = (pool: TimedPool): RunTogether => createTogether(pool, { isRead: false })

function createTogether(pool: TimedPool, { isRead }: { readonly isRead: boolean }): RunTogether {
  let waiting: Waiting[] = []
  let together = maximumTogether

  function send(): void {
    const statements = waiting
    waiting = []
    for (let start = 0; start < statements.length; start += together)
      void answer(statements.slice(start, start + together))
  }

  async function answer(group: readonly Waiting[]): Promise<void> {
    try {
      await run(isRead ? group : group.toSorted(byTextAndKey))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function run(group: readonly Waiting[]): Promise<void> {
    const statements = group.map(({ statement }) => statement)
    const tried = statements.length > 1 ? await tryTogether(pool, statements, isRead) : undefined
    if (tried?.outcome === 'failed') {
      const { failure, cause } = tried
      if (cause instanceof OneByOneError) together = 1
      if (failure === 'late' || (failure === 'lost' && !isRead)) throw asStorageError(failure, cause)
    }
    for (const [index, { statement, resolve }] of group.entries())
      resolve((tried?.outcome === 'answered' ? tried.answer[index] : undefined) ?? runStatement(pool, statement))
  }

  return (statement, key = '') =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, key, resolve, reject })
      // After the requests that have arrived with this one were read.
      if (waiting.length === 1) setImmediate(send)
    })
}

const byTextAndKey = (one: Waiting, other: Waiting): number =>
  compareText(one.statement.text, other.statement.text) || compareText(one.key, other.key)

/** A statement waits for those before it in the packet: each takes a twentieth of a millisecond. */
const maximumTogether = 8
