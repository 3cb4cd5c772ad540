import { connect } from 'node:net'
import { inject } from 'vitest'
import { makeDatabase, type TestDatabase } from './postgres-database.ts'

/** An empty database on the PostgreSQL that all tests of the run share. */
export const aDatabase = async (): Promise<TestDatabase> => makeDatabase(await addressOfTheRun())

export async function addressOfTheRun(): Promise<string> {
  const socket = connect(inject('postgresDoor'), '127.0.0.1')
  const answer = (await socket.toArray()).join('')
  if (!answer.startsWith('postgres:')) throw new Error(`There is no PostgreSQL: ${answer}`)
  return answer
}
