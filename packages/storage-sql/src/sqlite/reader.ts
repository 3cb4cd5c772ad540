import type { SQLOutputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { placesOf } from '../row.ts'

/** Runs queries on a thread of its own. */
export interface SqliteReader {
  /** @throws StorageUnavailableError, or the error of a wrong statement. */
  readonly all: (statement: string, parameters: readonly SqlValue[], signal?: AbortSignal) => Promise<readonly SqlRow[]>
  readonly close: () => Promise<void>
}

/**
 * Reads a database file on a second connection, in a thread that is started with the first query: a query over many rows
 * would stop the event loop, and with it every request of the process. It sees everything that was committed before the
 * query. The thread keeps the process alive only while a query runs. A query whose signal is aborted before its turn never
 * runs. One that runs is finished, because `node:sqlite` cannot interrupt it; its caller does not wait.
 * @param convert converts an error of SQLite as the main connection does.
 */
export function createSqliteReader(path: string, convert: (error: unknown) => unknown): SqliteReader {
  let thread: Thread | undefined
  let last = 0

  function start(): Thread {
    const worker = new Worker(program, { eval: true, workerData: { path } })
    const sent = new Map<number, Waiting>()
    const queued = new Map<number, Waiting>()
    const fail = (error: unknown): void => {
      if (thread?.worker === worker) thread = undefined
      for (const { reject } of [...sent.values(), ...queued.values()]) reject(error)
      sent.clear()
      queued.clear()
    }
    const send = (): void => {
      for (const [id, asked] of queued) {
        if (sent.size >= sentAtOnce) return
        queued.delete(id)
        sent.set(id, asked)
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, not a window
        worker.postMessage({ id, statement: asked.statement, parameters: asked.parameters })
      }
    }
    worker.on('message', ({ id, columns, rows, error }: Answer) => {
      const asked = sent.get(id)
      sent.delete(id)
      send()
      if (sent.size === 0) worker.unref()
      if (error !== undefined) return asked?.reject(convert(Object.assign(new Error(error.message), error)))
      const places = placesOf(columns)
      asked?.resolve(rows.map((values) => ({ places, values })))
    })
    worker.on('error', (cause) => fail(new StorageUnavailableError('The thread that reads has failed', { cause })))
    worker.on('exit', () => fail(new StorageUnavailableError('The storage has been closed')))
    worker.unref()
    return { worker, queued, send }
  }

  function ask(statement: string, parameters: readonly SqlValue[], signal?: AbortSignal): Promise<readonly SqlRow[]> {
    return new Promise((resolve, reject) => {
      thread ??= start()
      const { worker, queued, send } = thread
      last += 1
      const id = last
      const leave = (): void => {
        queued.delete(id)
        // The reason is an error unless the owner of the signal chose something else.
        reject(signal?.reason as Error)
      }
      const done =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          signal?.removeEventListener('abort', leave)
          settle(value)
        }
      queued.set(id, { statement, parameters, resolve: done(resolve), reject: done(reject) })
      signal?.addEventListener('abort', leave, { once: true })
      worker.ref()
      send()
    })
  }

  return {
    all: ask,
    async close() {
      await thread?.worker.terminate()
    },
  }
}

/** The thread works on one query while the next waits for it there. All others wait here, where they can be left out. */
const sentAtOnce = 2

interface Thread {
  readonly worker: Worker
  readonly queued: Map<number, Waiting>
  /** Sends queries that wait. */
  readonly send: () => void
}

interface Waiting {
  readonly statement: string
  readonly parameters: readonly SqlValue[]
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
