import { StorageUnavailableError, type AuthorizationCodeRecord, type AdminStorage } from '@mintmark/storage-interface'
import { aCodeRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { makeDatabase } from './support/postgres-database.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'

/** The result of each presentation of a code: an outcome, or `outage`. */
type Results = readonly string[]

test('gives no wrong answer while PostgreSQL is killed and restarted under load, and resumes (RFC 6749 §10.5)', async () => {
  const { server, storage } = await aServer()
  const load: Load = { isOver: false, outages: 0, results: new Map() }
  const { results } = load

  const workers = Array.from({ length: 8 }, (_, worker) => work(storage, worker, load))
  for (let round = 1; round <= 2; round += 1) {
    await until(() => results.size >= round * 100)
    const before = load.outages
    await server.kill()
    await until(() => load.outages > before + 8)
    await server.restart()
  }
  await until(() => results.size >= 300)
  load.isOver = true
  await Promise.all(workers)

  expect([...results.values()].filter((answers) => !isConsistent(answers))).toEqual([])
  // The results from before a kill still hold after it.
  const after = await Promise.all([...results.keys()].map((code) => consume(storage, code)))
  expect(new Set(after)).toEqual(new Set(['replayed']))
})

/** What the workers share. */
interface Load {
  isOver: boolean
  /** How many statements failed because the database was down. */
  outages: number
  readonly results: Map<AuthorizationCodeRecord, Results>
}

/** Writes codes, and presents each code until two presentations had a result other than an outage. */
async function work(storage: AdminStorage, worker: number, load: Load): Promise<void> {
  const counted = async (answering: Promise<string>): Promise<string> => {
    const answer = await answering
    if (answer === 'outage') load.outages += 1
    return answer
  }
  for (let index = 0; !load.isOver; index += 1) {
    const code = aCodeRecord({ digest: aDigest(`code-${worker}-${index}`) })
    while ((await counted(answerOf(storage.codes.insert(code)))) === 'outage');

    const answers: string[] = []
    while (answers.filter((answer) => answer !== 'outage').length < 2) {
      answers.push(await counted(consume(storage, code)))
      load.results.set(code, answers)
    }
  }
}

/**
 * Whether a code was won once, and replayed from then on. The first answer may be `replayed` only when there was an outage
 * before it: the presentation that failed may have consumed the code.
 */
function isConsistent(answers: Results): boolean {
  const [first, ...rest] = answers.filter((answer) => answer !== 'outage')
  const mayHaveWon = first === 'won' || (first === 'replayed' && answers[0] === 'outage')
  return mayHaveWon && rest.every((answer) => answer === 'replayed')
}

const consume = (storage: AdminStorage, code: AuthorizationCodeRecord): Promise<string> =>
  answerOf(storage.codes.consume(code.digest, code.clientId, code.issuedAt))

async function answerOf(call: Promise<{ readonly outcome: string }>): Promise<string> {
  try {
    return (await call).outcome
  } catch (error) {
    if (error instanceof StorageUnavailableError) return 'outage'
    throw error
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

async function aServer(): Promise<{ readonly server: PostgresServer; readonly storage: AdminStorage }> {
  const server = await startPostgres()
  const pool = (await makeDatabase(server.url)).pool()
  onTestFinished(async () => {
    await pool.end()
    await server.stop()
  })
  const dialect = toPostgresDialect(pool, { migrate: 'on-open' })
  return { server, storage: await createSqlStorage({ dialect, issuer: 'https://issuer.example' }) }
}
