import { connect } from 'node:net'
import { inject } from 'vitest'
import { makeEnglishDatabase, makeDatabase, type TestDatabase } from './postgres-database.ts'

/** Creates an empty database on the PostgreSQL that all tests of the run share. */
export const aDatabase = async (): Promise<TestDatabase> => makeDatabase(await addressOfTheRun())

/** Like `aDatabase`, but orders strings as in English, where `a` comes before `B` and `é` before `z`. */
export const anEnglishDatabase = async (): Promise<TestDatabase> => makeEnglishDatabase(await addressOfTheRun())

export async function addressOfTheRun(): Promise<string> {
  const socket = connect(inject('postgresPort'), '127.0.0.1')
  const answer = (await socket.toArray()).join('')
  if (!answer.startsWith('postgres:')) throw new Error(`PostgreSQL could not be started: ${answer}`)
  return answer
}
