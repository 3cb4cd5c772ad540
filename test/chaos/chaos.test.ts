import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { startServerProcess, type ServerProcess } from '../processes/server-processes.ts'
import { postgresStage, sqliteStage, type Stage } from '../processes/test-database.ts'
import { crashPoints } from './crash-points.ts'
import { crashAt } from './crash-round.ts'
import { killWriters } from './kill-writers.ts'
import { storm } from './chaos-run.ts'

// Each crash point on one of the two engines; `pnpm chaos` repeats all of them on both.
describe.for([
  { name: 'PostgreSQL', open: async () => postgresStage(await addressOfTheRun()), share: 0 },
  { name: 'SQLite', open: sqliteStage, share: 1 },
])('a server that is killed, on $name', ({ open, share }) => {
  let stage: Stage
  let survivor: ServerProcess
  beforeAll(async () => {
    stage = await open()
    survivor = await startServerProcess(stage.database)
  })
  afterAll(async () => {
    await survivor.kill()
    await stage.close()
  })

  test('nothing is issued twice, nothing revoked works, and retries succeed (RFC 6749 §10.5, RFC 9700 §4.14.2)', async () => {
    const points = crashPoints.filter((_, index) => index % 2 === share)

    const outcomes = await crashAt(points, { stage, port: survivor.port })

    expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([])
    expect(outcomes).toHaveLength(10)
  })

  test('killed while changing groups and members, it leaves only whole changes behind', async () => {
    const { violations, rounds } = await killWriters(stage, 2)

    expect(violations).toEqual([])
    expect(rounds).toBe(2 + 3)
  })
})

test('with servers and PostgreSQL killed and restarted under load, no answer is wrong', async () => {
  const server = await startPostgres()
  const stage = await postgresStage(server.url)
  onTestFinished(async () => {
    await stage.close()
    await server.stop()
  })

  const { counts, violations } = await storm({ stage, rounds: 1, database: server })

  expect(violations).toEqual([])
  expect(counts).toMatchObject({ serverKills: 1, databaseKills: 1 })
})
