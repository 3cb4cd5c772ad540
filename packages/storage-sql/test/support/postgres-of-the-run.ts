import { connect } from 'node:net'
import { migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { inject } from 'vitest'
import { makeEnglishDatabase, makeDatabase, type TestDatabase } from './postgres-database.ts'

/** Creates an empty database on the PostgreSQL that all tests of the run share. */
export async function aDatabase(): Promise<TestDatabase> {
  return makeDatabase(await addressOfTheRun())
}

/** Like `aDatabase`, but orders strings as in English, where `a` comes before `B` and `é` before `z`. */
async function anEnglishDatabase(): Promise<TestDatabase> {
  return makeEnglishDatabase(await addressOfTheRun())
}

/**
 * Returns a database that has the tables, without rows. `remove` gives it to a later test of the same process, because
 * migrations take longer than most tests. A test that changes the schema uses `aDatabase`.
 */
export const aMigratedDatabase = reusing(aDatabase)

/** Like `aMigratedDatabase`, with the order of `anEnglishDatabase`. */
export const aMigratedEnglishDatabase = reusing(anEnglishDatabase)

function reusing(make: () => Promise<TestDatabase>): () => Promise<TestDatabase> {
  const unused: TestDatabase[] = []
  return async () => {
    const database = unused.pop() ?? (await withTables(await make()))
    return {
      ...database,
      remove: async () => {
        await database.empty()
        unused.push(database)
      },
    }
  }
}

async function withTables(database: TestDatabase): Promise<TestDatabase> {
  await migrate({ dialect: toPostgresDialect(database.pool()) })
  await database.empty()
  return database
}

export async function addressOfTheRun(): Promise<string> {
  const socket = connect(inject('postgresPort'), '127.0.0.1')
  const answer = (await socket.toArray()).join('')
  if (!answer.startsWith('postgres:')) throw new Error(`PostgreSQL could not be started: ${answer}`)
  return answer
}
