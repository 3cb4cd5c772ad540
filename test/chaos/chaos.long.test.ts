import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { startServerProcess, type ServerProcess } from '../processes/server-processes.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from '../processes/test-database.ts'
import { crashPoints } from './crash-points.ts'
import { crashAt } from './crash-round.ts'
import { deliveryPoints, killDeliveries } from './kill-deliveries.ts'
import { killWebhooks, webhookPoints } from './kill-webhooks.ts'
import { killWriters } from './kill-writers.ts'
import { runChaos } from './chaos-run.ts'

// Tries each crash point on one of the two databases; `pnpm stress chaos` tries all of them on both.
describe.for([
  { name: 'PostgreSQL', open: async () => openPostgresSite(await addressOfTheRun()), share: 0 },
  { name: 'SQLite', open: openSqliteSite, share: 1 },
])('when servers on $name are killed', ({ open, share }) => {
  let site: ProcessSite
  let survivor: ServerProcess
  beforeAll(async () => {
    site = await open()
    survivor = await startServerProcess(site.database)
  })
  afterAll(async () => {
    await survivor.kill()
    await site.close()
  })

  test('nothing is issued twice, no revoked token works, and retries succeed (RFC 6749 §10.5, RFC 9700 §4.14.2)', async () => {
    const points = crashPoints.filter((_, index) => index % 2 === share)

    const outcomes = await crashAt(points, { site, port: survivor.port })

    expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([])
    expect(outcomes).toHaveLength(10)
  })

  test('no logout token is lost (Back-Channel Logout §2.5)', async () => {
    const points = deliveryPoints.filter((_, index) => index % 2 === share)

    const { expected, violations } = await killDeliveries(site, points)

    expect(violations).toEqual([])
    expect(expected).toBe(30)
  })

  test('no webhook is lost, and the webhooks about each user stay in order (Standard Webhooks 1.0.0)', async () => {
    const points = webhookPoints.filter((_, index) => index % 4 === 3 * share)

    const { expected, violations } = await killWebhooks(site, points)

    expect(violations).toEqual([])
    expect(expected).toBe(5 * 9)
  })

  test('changes of groups and their members are stored completely or not at all', async () => {
    const { violations, rounds } = await killWriters(site, 2)

    expect(violations).toEqual([])
    expect(rounds).toBe(2 + 3)
  })
})

test('no response is wrong while servers and PostgreSQL are killed and restarted under load', async () => {
  const server = await startPostgres()
  const site = await openPostgresSite(server.url)
  onTestFinished(async () => {
    await site.close()
    await server.stop()
  })

  const { counts, violations } = await runChaos({ site, rounds: 1, database: server })

  expect(violations).toEqual([])
  expect(counts).toMatchObject({ serverKills: 1, databaseKills: 1 })
})
