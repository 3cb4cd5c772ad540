import { connect } from 'node:net'
import { inject } from 'vitest'
import { inOtherOrder, makeDatabase, type TestDatabase } from './postgres-database.ts'

/** An empty database on the PostgreSQL that all tests of the run share. */
export const aDatabase = async (): Promise<TestDatabase> => makeDatabase(await addressOfTheRun())

/** The same, on a database where texts have the order of a language, in which `a` comes before `B` and `é` before `z`. */
export const aDatabaseInOtherOrder = async (): Promise<TestDatabase> => inOtherOrder(await addressOfTheRun())

export async function addressOfTheRun(): Promise<string> {
  const socket = connect(inject('postgresDoor'), '127.0.0.1')
  const answer = (await socket.toArray()).join('')
  if (!answer.startsWith('postgres:')) throw new Error(`There is no PostgreSQL: ${answer}`)
  return answer
}
