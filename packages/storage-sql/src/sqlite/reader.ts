import type { SQLOutputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlQueryOptions, SqlRow, SqlValue } from '../dialect.ts'
import { createFairTurns } from '../fair-turns.ts'
import { toIndexByColumn } from '../row.ts'
import { untilAborted } from '../until-aborted.ts'

/** Runs queries on a separate thread. */
export interface SqliteReader {
  /** @throws StorageUnavailableError, or the error of a wrong statement. */
  readonly all: (
    statement: string,
    parameters: readonly SqlValue[],
    options: Pick<SqlQueryOptions, 'signal' | 'maxBytes'> & { readonly owner: string },
  ) => Promise<readonly SqlRow[]>
  readonly close: () => Promise<void>
}

/**
 * Reads a database file on a separate connection, in a thread that is started with the first query: on the main thread, a
 * query over many rows would stop the event loop, and with it every request of the process. A query sees everything that was
 * committed before it. The thread keeps the process alive only while a query runs. The owners of queries take turns. A query
 * that is aborted before its turn never runs. A query that is aborted later runs to its end, because `node:sqlite` cannot
 * interrupt it, but its caller does not wait.
 * @param convert converts an error of SQLite as the main connection does.
 */
export function createSqliteReader(path: string, convert: (error: unknown) => unknown): SqliteReader {
  // The thread runs one query at a time. The others wait here, where they can still be dropped.
  const turns = createFairTurns({ atOnce: 1 })
  let thread: Thread | undefined
  let isOpen = true

  function start(): Thread {
    const worker = new Worker(program, { eval: true, workerData: { path, longestPrepared } })
    const started: Thread = { worker, caller: undefined }
    const fail = (error: unknown): void => {
      if (thread === started) thread = undefined
      started.caller?.reject(error)
    }
    worker.on('message', ({ columns, rows, error }: Answer) => {
      const { caller } = started
      started.caller = undefined
      worker.unref()
      if (error !== undefined) return caller?.reject(convert(Object.assign(new Error(error.message), error)))
      const indexByColumn = toIndexByColumn(columns)
      caller?.resolve(rows.map((values) => ({ indexByColumn, values })))
    })
    worker.on('error', (cause) =>
      fail(new StorageUnavailableError('The thread that reads the SQLite database has failed', { cause })),
    )
    worker.on('exit', () => fail(closed()))
    worker.unref()
    return started
  }

  const ask = (question: Question): Promise<readonly SqlRow[]> =>
    new Promise((resolve, reject) => {
      if (!isOpen) throw closed()
      thread ??= start()
      thread.caller = { resolve, reject }
      thread.worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
      thread.worker.postMessage(question)
    })

  return {
    all: (statement, parameters, { owner, signal, maxBytes }) => {
      const answer = turns({ owner, signal }, () => ask({ statement, parameters, maxBytes }))
      return signal === undefined ? answer : untilAborted(answer, signal)
    },
    async close() {
      isOpen = false
      await thread?.worker.terminate()
    },
  }
}

const closed = (): Error => new StorageUnavailableError('The storage has been closed')

interface Thread {
  readonly worker: Worker
  /** Settles the promise of the running query. */
  caller: { readonly resolve: (rows: readonly SqlRow[]) => void; readonly reject: (error: unknown) => void } | undefined
}

interface Question extends Pick<SqlQueryOptions, 'maxBytes'> {
  readonly statement: string
  readonly parameters: readonly SqlValue[]
}

interface Answer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SQLOutputValue[])[]
  readonly error?: { readonly message: string; readonly code?: string; readonly errcode?: number }
}

/** Longer statements are prepared each time: a prepared statement takes about ten times the memory of its text. */
export const longestPrepared = 16_384

/**
 * The program of the thread. It is a string, because a separate file would have to be found next to the bundle of every
 * host. The last hundred statements stay prepared, if they are not long.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(workerData.path, { readOnly: true })
database.exec('PRAGMA busy_timeout = 5000')
database.exec('PRAGMA trusted_schema = OFF')
database.exec('PRAGMA temp_store = MEMORY')
const prepared = new Map()
function prepare(text) {
  const statement = prepared.get(text) ?? database.prepare(text)
  if (text.length > workerData.longestPrepared) return statement
  prepared.delete(text)
  prepared.set(text, statement)
  if (prepared.size > 100) prepared.delete(prepared.keys().next().value)
  return statement
}
// The same function as in dialect.ts.
function untilBytes(rows, key, maxBytes) {
  const read = []
  let bytes = 0
  try {
    for (const row of rows) {
      read.push(row)
      if (bytes >= maxBytes) break
      bytes += row[key]
    }
  } finally {
    rows.return()
  }
  return read
}
parentPort.on('message', ({ statement, parameters, maxBytes }) => {
  try {
    const query = prepare(statement)
    const columns = query.columns().map(({ name }) => name)
    const arrays = 'setReturnArrays' in query
    if (arrays) query.setReturnArrays(true)
    const key = arrays ? columns.indexOf('bytes') : 'bytes'
    const rows = maxBytes === undefined ? query.all(...parameters) : untilBytes(query.iterate(...parameters), key, maxBytes)
    parentPort.postMessage({ columns, rows: arrays ? rows : rows.map((row) => columns.map((name) => row[name])) })
  } catch (error) {
    const { message, code, errcode } = error
    parentPort.postMessage({ columns: [], rows: [], error: { message, code, errcode } })
  }
})
`
