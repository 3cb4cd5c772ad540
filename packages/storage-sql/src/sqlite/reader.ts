import type { SQLOutputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { placesOf } from '../row.ts'

/** Runs queries on a thread of its own. */
export interface SqliteReader {
  /** @throws StorageUnavailableError, or the error of a wrong statement. */
  readonly all: (statement: string, parameters: readonly SqlValue[]) => Promise<readonly SqlRow[]>
  readonly close: () => Promise<void>
}

/**
 * Reads a database file on a second connection, in a thread that is started with the first query: a query over many rows
 * would stop the event loop, and with it every request of the process. It sees everything that was committed before the
 * query. The thread keeps the process alive only while a query runs.
 * @param convert converts an error of SQLite as the main connection does.
 */
export function createSqliteReader(path: string, convert: (error: unknown) => unknown): SqliteReader {
  let thread: { readonly worker: Worker; readonly waiting: Map<number, Waiting> } | undefined
  let last = 0

  function start(): NonNullable<typeof thread> {
    const worker = new Worker(program, { eval: true, workerData: { path } })
    const waiting = new Map<number, Waiting>()
    const fail = (error: unknown): void => {
      if (thread?.worker === worker) thread = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    worker.on('message', ({ id, columns, rows, error }: Answer) => {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (waiting.size === 0) worker.unref()
      if (error !== undefined) return asked?.reject(convert(Object.assign(new Error(error.message), error)))
      const places = placesOf(columns)
      asked?.resolve(rows.map((values) => ({ places, values })))
    })
    worker.on('error', (cause) => fail(new StorageUnavailableError('The thread that reads has failed', { cause })))
    worker.on('exit', () => fail(new StorageUnavailableError('The storage has been closed')))
    worker.unref()
    return { worker, waiting }
  }

  return {
    all: (statement, parameters) =>
      new Promise((resolve, reject) => {
        thread ??= start()
        last += 1
        thread.waiting.set(last, { resolve, reject })
        thread.worker.ref()
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
        thread.worker.postMessage({ id: last, statement, parameters })
      }),
    async close() {
      await thread?.worker.terminate()
    },
  }
}

interface Waiting {
  readonly resolve: (rows: readonly SqlRow[]) => void
  readonly reject: (error: unknown) => void
}

interface Answer {
  readonly id: number
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SQLOutputValue[])[]
  readonly error?: { readonly message: string; readonly code?: string; readonly errcode?: number }
}

/**
 * The thread. It is a text, because a file of its own would have to be found next to the bundle of every host. The last
 * hundred statements stay prepared.
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
  prepared.delete(text)
  prepared.set(text, statement)
  if (prepared.size > 100) prepared.delete(prepared.keys().next().value)
  return statement
}
parentPort.on('message', ({ id, statement, parameters }) => {
  try {
    const query = prepare(statement)
    const columns = query.columns().map(({ name }) => name)
    const arrays = 'setReturnArrays' in query
    if (arrays) query.setReturnArrays(true)
    const rows = query.all(...parameters)
    parentPort.postMessage({ id, columns, rows: arrays ? rows : rows.map((row) => columns.map((name) => row[name])) })
  } catch (error) {
    const { message, code, errcode } = error
    parentPort.postMessage({ id, columns: [], rows: [], error: { message, code, errcode } })
  }
})
`
