import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { backgroundWorkloads } from './background-workloads.ts'
import { fillIssuer } from './fill-issuer.ts'
import { type Growth, growthOf, type StatementCost } from './growth.ts'
import { sizeOf } from './issuer-size.ts'
import { oauthWorkloads } from './oauth-workloads.ts'
import { scimWorkloads } from './scim-workloads.ts'
import { createIssuer, type SizedIssuer } from './sized-issuer.ts'
import { costsOf, countingSettings } from './statement-costs.ts'

interface GrowthMeasurement {
  /** The users of the larger issuer. The smaller has a tenth. */
  readonly users: number
  /** The folder of the programs of PostgreSQL; those of the tests if it is left out. */
  readonly programFolder?: string | undefined
  /** Stops the measurement, and removes the database. */
  readonly interrupted: AbortSignal
  readonly progress: (line: string) => void
}

/** Fills an issuer and one of a tenth of its size, one after the other, and compares what their statements cost. */
export async function measureGrowth({
  users,
  programFolder,
  interrupted,
  progress,
}: GrowthMeasurement): Promise<readonly Growth[]> {
  const postgres = await startPostgres({ programFolder, settings: countingSettings })
  // Statements in progress fail when the server stops, so an interruption does not wait for them.
  const stopped = new Promise<void>((resolve) =>
    interrupted.addEventListener('abort', () => void postgres.stop().then(resolve)),
  )
  try {
    const smaller = await measureIssuer(users / 10, { url: postgres.url, progress })
    const larger = await measureIssuer(users, { url: postgres.url, progress })
    return growthOf(smaller, larger)
  } catch (error) {
    if (interrupted.aborted) return []
    throw error
  } finally {
    await (interrupted.aborted ? stopped : postgres.stop())
  }
}

async function measureIssuer(
  users: number,
  { url, progress }: { readonly url: string; readonly progress: (line: string) => void },
): Promise<readonly StatementCost[]> {
  const database = await makeDatabase(url)
  const site = await createIssuer(database, sizeOf(users))
  await site.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public')
  progress(`an issuer of ${users} users`)
  await fillIssuer(site, progress)
  progress(`in total ${await gigabytes(site)} GB`)
  const costs: StatementCost[] = []
  for (const { name, prepare } of [...oauthWorkloads, ...scimWorkloads, ...backgroundWorkloads]) {
    const calls = await prepare(site)
    const startedAt = performance.now()
    costs.push(...(await costsOf(site.pool, { name, run: () => inTurn(calls) })))
    progress(`${name}: ${((performance.now() - startedAt) / calls.length).toFixed(1)} ms a call`)
  }
  await database.remove()
  return costs
}

async function inTurn(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const call of calls) await call()
}

async function gigabytes({ pool }: SizedIssuer): Promise<string> {
  const { rows } = await pool.query<{ readonly bytes: string }>('SELECT pg_database_size(current_database()) AS bytes')
  return (Number(rows[0]?.bytes) / 1e9).toFixed(1)
}
