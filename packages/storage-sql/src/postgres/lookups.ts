import { setImmediate } from 'node:timers'
import { asStorageError, type PostgresResult, type PostgresStatement } from './connection.ts'
import { OneByOneError, runStatement, tryTogether, type TimedPool } from './run.ts'

interface Waiting {
  readonly statement: PostgresStatement
  readonly resolve: (result: PostgresResult | Promise<PostgresResult>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Returns a function that runs lookups: queries that find a few rows by their keys, and wait for no row. Those that requests make in
 * the same turn of the event loop are sent together, because a packet takes more processor time, here and in the server, than the
 * query in it. Each sees what was committed before it began. If they fail together, each runs alone.
 */
export function createLookups(pool: TimedPool): (statement: PostgresStatement) => Promise<PostgresResult> {
  let waiting: Waiting[] = []
  let together = maximumTogether

  function send(): void {
    const lookups = waiting
    waiting = []
    for (let start = 0; start < lookups.length; start += together) void answer(lookups.slice(start, start + together))
  }

  async function answer(lookups: readonly Waiting[]): Promise<void> {
    try {
      await run(lookups)
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
  }

  async function run(lookups: readonly Waiting[]): Promise<void> {
    const statements = lookups.map(({ statement }) => statement)
    const tried = statements.length > 1 ? await tryTogether(pool, statements) : undefined
    if (tried?.outcome === 'failed') {
      if (tried.cause instanceof OneByOneError) together = 1
      if (tried.failure === 'late') throw asStorageError('late', tried.cause)
    }
    for (const [index, { statement, resolve }] of lookups.entries())
      resolve((tried?.outcome === 'answered' ? tried.answer[index] : undefined) ?? runStatement(pool, statement))
  }

  return (statement) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, resolve, reject })
      // After the requests that have arrived with this one were read.
      if (waiting.length === 1) setImmediate(send)
    })
}

/** A lookup waits for those before it in the packet: each takes a twentieth of a millisecond. */
const maximumTogether = 8
