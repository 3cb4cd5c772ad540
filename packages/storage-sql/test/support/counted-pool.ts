import { onTestFinished, vi } from 'vitest'
import { aDatabase } from './postgres-of-the-run.ts'

/**
 * Returns a pool, and functions that return how many packets its connections have sent after they were opened, and how often they
 * have asked for the columns of a result.
 */
export async function aCountedPool(settings: Parameters<Awaited<ReturnType<typeof aDatabase>>['pool']>[0] = {}) {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool(settings)
  const calls = { query: [] as Calls[], describe: [] as Calls[] }
  pool.on('connect', (client) => {
    calls.query.push(vi.spyOn(client, 'query'))
    const { connection } = client as unknown as { connection: { describe: () => void } }
    calls.describe.push(vi.spyOn(connection, 'describe'))
  })
  const sum = (of: readonly Calls[]): number => of.reduce((total, { mock }) => total + mock.calls.length, 0)
  return { database, pool, packets: () => sum(calls.query), describes: () => sum(calls.describe) }
}

interface Calls {
  readonly mock: { readonly calls: readonly unknown[] }
}
