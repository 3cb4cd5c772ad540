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
  const results = new Map<AuthorizationCodeRecord, Results>()
  const outages = () => [...results.values()].flat().filter((answer) => answer === 'outage').length

  const workers = Array.from({ length: 8 }, (_, worker) => work(storage, { worker, codes: 60, results }))
  for (let round = 1; round <= 2; round += 1) {
    await until(() => results.size >= round * 100)
    const before = outages()
    await server.kill()
    await until(() => outages() > before + 8)
    await server.restart()
  }
  await Promise.all(workers)

  expect(results.size).toBe(8 * 60)
  expect([...results.values()].filter((answers) => !isConsistent(answers))).toEqual([])
  // The results from before a kill still hold after it.
  const after = await Promise.all([...results.keys()].map((code) => consume(storage, code)))
  expect(new Set(after)).toEqual(new Set(['replayed']))
})

/** Writes codes, and presents each code until two presentations had a result other than an outage. */
async function work(
  storage: AdminStorage,
  {
    worker,
    codes,
    results,
  }: { readonly worker: number; readonly codes: number; readonly results: Map<AuthorizationCodeRecord, Results> },
): Promise<void> {
  for (let index = 0; index < codes; index += 1) {
    const code = aCodeRecord({ digest: aDigest(`code-${worker}-${index}`) })
    while ((await answerOf(storage.codes.insert(code))) === 'outage');

    const answers: string[] = []
    while (answers.filter((answer) => answer !== 'outage').length < 2) {
      answers.push(await consume(storage, code))
      results.set(code, answers)
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
