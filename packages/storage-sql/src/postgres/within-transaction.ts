import { aFunction, anObjectWith, aNonEmptyString, checkOptions, createQueues, required } from '@mintmark/internal'
import { type AdminStorage, StorageUnavailableError } from '@mintmark/storage-interface'

import { createStores, defaultScanLimit } from '../create-sql-storage.ts'
import type { SqlDialect } from '../dialect.ts'
import { asStorageError, failureOf, type PostgresResult, type PostgresStatement } from './connection.ts'
import { createPrepare, createResultReader } from './dialect.ts'
import { postgres } from './engine.ts'

/** A client of `pg` on which the host has begun a transaction. */
interface TransactionClient {
  query(statement: PostgresStatement): Promise<PostgresResult>
}

/** A transaction of the host, and the work to do in it. */
interface HostTransaction<Result> {
  /** A client of the host's pool, after `BEGIN`. Its search path finds the tables of Mintmark. */
  readonly client: TransactionClient
  /** The issuer identifier of the server. */
  readonly issuer: string
  /** Does the work with the storage. Await every call: the storage cannot be used after the work has returned. */
  readonly work: (storage: AdminStorage) => Promise<Result>
}

/**
 * Runs work whose changes belong to a transaction of the host: they are committed or rolled back with it. The host begins
 * and ends the transaction. Each call of the storage has a savepoint, so the transaction stays usable if a call fails. The
 * database must have been migrated: unlike a server at its start, this function does not check it.
 * @returns what the work returns.
 * @throws TypeError when no transaction has begun or its isolation level is not READ COMMITTED, StorageUnavailableError, and
 *   whatever the work throws. After an error, roll back.
 */
export async function withinTransaction<Result>(transaction: HostTransaction<Result>): Promise<Result> {
  checkOptions('withinTransaction', transaction, {
    client: required(anObjectWith('query')),
    issuer: required(aNonEmptyString),
    work: required(aFunction),
  })
  const { client, issuer, work } = transaction
  await requireTransaction(client)
  const state = { hasEnded: false }
  const storage = createStores(dialectOf(client, state), { issuer, scanLimit: defaultScanLimit })
  try {
    return await work(storage)
  } finally {
    state.hasEnded = true
  }
}

/**
 * Checks that a transaction has begun, without which SAVEPOINT fails, and its isolation level. At another level, a statement
 * that waited for a lock would not see what the holder of the lock changed.
 */
async function requireTransaction(client: TransactionClient): Promise<void> {
  await ask(client, { text: savepoint })
  const { rows } = await ask(client, { text: 'SHOW transaction_isolation', rowMode: 'array' })
  await ask(client, { text: release })
  const [level] = (rows[0] ?? []) as readonly unknown[]
  if (level !== 'read committed')
    throw new TypeError(
      'withinTransaction: the transaction must be READ COMMITTED: `BEGIN ISOLATION LEVEL READ COMMITTED`.',
    )
}

async function ask(client: TransactionClient, statement: PostgresStatement): Promise<PostgresResult> {
  try {
    return await client.query(statement)
  } catch (cause) {
    if (codeOf(cause) === '25P01') throw new TypeError('withinTransaction: send BEGIN on the client first.', { cause })
    throw asStorageError(failureOf(cause), cause)
  }
}

/** Creates a dialect whose statements run on one connection, one call after the other. */
function dialectOf(client: TransactionClient, state: { readonly hasEnded: boolean }): SqlDialect {
  // Statements have no names, because the client may lead to a pooler that does not keep them.
  const prepare = createPrepare()
  const read = createResultReader()
  const inTurn = createQueues()
  // Calls that run at the same time must not share a savepoint.
  const inSavepoint = <T>(steps: () => Promise<T | undefined>): Promise<T | undefined> =>
    inTurn('transaction', () => withSavepoint(client, state, steps))

  return {
    engine: postgres,
    migrate: 'by-command',
    migrateCommand: 'npx mintmark-migrate apply --postgres URL',

    async all(text, parameters, { lifetime = 'lasting' } = {}) {
      const result = await inSavepoint(() => client.query(prepare(text, parameters, 'passing')))
      return result === undefined ? [] : read(result, text, lifetime)
    },

    async transact(steps) {
      const last = steps.at(-1)
      const result = await inSavepoint(async () => {
        let answer: PostgresResult = { fields: [], rows: [] }
        for (const { statement, parameters, role } of steps) {
          answer = await client.query(prepare(statement, parameters, 'passing'))
          if (role === 'guard' && answer.rows.length === 0) return undefined
        }
        return answer
      })
      return result && last && read(result, last.statement, 'lasting')
    },

    // There is no queue: the work ahead of this in the queue could itself wait for a lock that this transaction holds.
    oneAtATime: (_, work) => work(),

    async atomically(statements) {
      await inSavepoint(async () => {
        for (const text of statements) await client.query({ text })
        return true
      })
    },

    async close() {},
  }
}

/**
 * Runs the steps of one call, or none of them. Repeats them after a conflict with another transaction, as the pool's dialect
 * does, but not after a deadlock: the locks of the host's own statements stay, so only the host can start again.
 * @param steps return `undefined` to undo them.
 * @throws StorageUnavailableError, UniqueViolationError, or the database's error for an invalid statement.
 */
async function withSavepoint<T>(
  client: TransactionClient,
  state: { readonly hasEnded: boolean },
  steps: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    if (state.hasEnded)
      throw new StorageUnavailableError('withinTransaction has returned, so its storage cannot be used any more.')
    await ask(client, { text: savepoint })
    try {
      const result = await steps()
      await client.query({ text: result === undefined ? undo : release })
      return result
    } catch (cause) {
      // If undoing fails, its error is ignored: `cause` states the reason, and the next statement of the transaction fails.
      await client.query({ text: undo }).catch(() => undefined)
      const isConflict = codeOf(cause) === '40001'
      if (!isConflict || attempt === maximumAttempts) throw asStorageError(failureOf(cause), cause)
    }
  }
}

const maximumAttempts = 3

const savepoint = 'SAVEPOINT mintmark'
const release = 'RELEASE SAVEPOINT mintmark'
const undo = 'ROLLBACK TO SAVEPOINT mintmark; RELEASE SAVEPOINT mintmark'

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined)
