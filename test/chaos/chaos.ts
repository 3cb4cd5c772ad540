// `pnpm stress chaos [rounds] [deliveries]` kills servers and databases repeatedly; with `deliveries`, only processes that
// deliver logout tokens and webhooks. Prints a summary, and exits with 1 if an invariant was violated.
import { chosenName, positiveCount, requireNoMore, runCommand } from '../../scripts/command-words.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { startServerProcess } from '../processes/server-processes.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from '../processes/test-database.ts'
import { crashPoints } from './crash-points.ts'
import { crashAt } from './crash-round.ts'
import { deliveryPoints, killDeliveries } from './kill-deliveries.ts'
import { killWebhooks, webhookPoints } from './kill-webhooks.ts'
import { killWriters } from './kill-writers.ts'
import { runChaos, type ChaosPlan } from './chaos-run.ts'

const { rounds, killsOnlyDeliveries } = await runCommand(
  'Write pnpm stress chaos [ROUNDS] [deliveries].',
  ([count = '10', killed = 'all', ...more]) => {
    requireNoMore(more)
    return {
      rounds: positiveCount('The number of rounds', count),
      killsOnlyDeliveries: chosenName('What is killed', ['all', 'deliveries'], killed) === 'deliveries',
    }
  },
)
let violations = 0

const server = await startPostgres()
await report('PostgreSQL', await openPostgresSite(server.url), server)
await server.stop()
await report('SQLite', await openSqliteSite(), undefined)
process.exitCode = violations === 0 ? 0 : 1

async function report(name: string, site: ProcessSite, database: ChaosPlan['database']): Promise<void> {
  const deliveriesStarted = performance.now()
  const points = Array.from({ length: rounds }, () => deliveryPoints).flat()
  const { expected, repeated, violations: lost } = await killDeliveries(site, points)
  print(
    `${name}: deliveries killed at ${deliveryPoints.length} points, ${rounds} times each, ${expected} logout tokens, ${repeated} repeated`,
    { started: deliveriesStarted, wrong: lost },
  )
  const webhooksStarted = performance.now()
  const messages = await killWebhooks(site, Array.from({ length: rounds }, () => webhookPoints).flat())
  print(
    `${name}: webhooks killed at ${webhookPoints.length} points, ${rounds} times each, ${messages.expected} messages, ${messages.repeated} repeated`,
    { started: webhooksStarted, wrong: messages.violations },
  )
  if (killsOnlyDeliveries) return site.close()

  const started = performance.now()
  const survivor = await startServerProcess(site.database)
  const wrong: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const outcomes = await crashAt(crashPoints, { site, port: survivor.port })
    wrong.push(
      ...outcomes.flatMap(({ point, violations }) => violations.map((violation) => `${point.name}: ${violation}`)),
    )
  }
  await survivor.kill()
  print(`${name}: servers killed at ${crashPoints.length} points, ${rounds} times each`, { started, wrong })

  const writersStarted = performance.now()
  const writers = await killWriters(site, rounds * 5)
  print(`${name}: writers of groups killed ${rounds * 5} times, in ${writers.rounds} rounds`, {
    started: writersStarted,
    wrong: writers.violations,
  })

  const stormStarted = performance.now()
  const outcome = await runChaos({ site, rounds, database })
  const counts = Object.entries(outcome.counts).map(([name, count]) => `${name} ${count}`)
  print(`${name}: under load: ${counts.join(', ')}`, { started: stormStarted, wrong: outcome.violations })
  await site.close()
}

function print(
  summary: string,
  { started, wrong }: { readonly started: number; readonly wrong: readonly string[] },
): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`${summary}; ${seconds} s: ${wrong.length} violations`)
  for (const violation of new Set(wrong)) console.log(`  ${violation}`)
  violations += wrong.length
}
