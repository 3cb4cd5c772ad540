// Runs each race a thousand times, with four servers over one database:
// `pnpm stress race [rounds] [part of a race's name] [--at-once n] [--database name]`. `--at-once` is for races whose rounds
// share nothing: all but the last one, which disables the client.
import { parseArgs } from 'node:util'

import { positiveCount, requireNoMore, runCommand, selectNamed } from '../../scripts/command-words.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { unrotatedTokenRacesOf } from './unrotated-token-races.ts'
import { cibaRacesOf } from './ciba-races.ts'
import { assertionRacesOf, createPartner } from './assertion-races.ts'
import { endRacesOf } from './end-races.ts'
import { exchangeRacesOf } from './exchange-races.ts'
import { racesOf, type Race } from './races.ts'
import { scimRacesOf } from './scim-races.ts'
import { sessionRacesOf } from './session-races.ts'
import { startServerProcesses } from './server-processes.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

const usage = "Write pnpm stress race [ROUNDS] [PART OF A RACE'S NAME] [--at-once NUMBER] [--database PART OF A NAME]."

/** Opens a database for `work`, and removes it afterwards. */
interface RacedDatabase {
  readonly name: string
  use(work: (site: ProcessSite) => Promise<number>): Promise<number>
}

const databases: readonly RacedDatabase[] = [
  {
    name: 'PostgreSQL',
    async use(work) {
      const server = await startPostgres()
      try {
        return await closeAfter(await openPostgresSite(server.url), work)
      } finally {
        await server.stop()
      }
    },
  },
  { name: 'SQLite', use: async (work) => closeAfter(await openSqliteSite(), work) },
]

async function closeAfter(site: ProcessSite, work: (site: ProcessSite) => Promise<number>): Promise<number> {
  try {
    return await work(site)
  } finally {
    await site.close()
  }
}

interface Plan {
  readonly rounds: number
  /** A part of the name of each race that runs. */
  readonly part: string
  readonly atOnce: number
}

await runCommand(usage, async (words) => {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { 'at-once': { type: 'string', default: '1' }, database: { type: 'string', default: '' } },
  })
  const [rounds = '1000', part = '', ...more] = positionals
  requireNoMore(more)
  const plan = {
    rounds: positiveCount('The number of rounds', rounds),
    part,
    atOnce: positiveCount('--at-once', values['at-once']),
  }
  let violations = 0
  for (const database of selectNamed('database', databases, [values.database]))
    violations += await database.use((site) => race(database.name, site, plan))
  process.exitCode = violations === 0 ? 0 : 1
})

/** @returns the number of violations. */
async function race(name: string, site: ProcessSite, plan: Plan): Promise<number> {
  const partner = await createPartner(site)
  const outcomes = new Map<string, number>()
  const onOutcome = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const racesOn = (ports: readonly number[], portsWithoutRotation: readonly number[]) =>
    Object.entries({
      ...racesOf(site, ports),
      ...scimRacesOf(site, ports),
      ...sessionRacesOf(site, ports),
      ...cibaRacesOf(site, ports, onOutcome),
      ...assertionRacesOf(site, ports, partner),
      ...exchangeRacesOf(site, ports, onOutcome),
      ...unrotatedTokenRacesOf(site, portsWithoutRotation),
      // The last, because it drops the signing key.
      ...endRacesOf(site, ports),
    }).map(([subject, run]) => ({ name: subject, run }))
  const selected = new Set(selectNamed('race', racesOn([], []), [plan.part]).map(({ name }) => name))

  const servers = await startServerProcesses(site.database, 4, { partnerKeys: partner.keys })
  const serversWithoutRotation = Object.keys(unrotatedTokenRacesOf(site, [])).some((subject) => selected.has(subject))
    ? await startServerProcesses(site.database, 4, { rotation: 'unbound_only' })
    : []
  const portsOf = (started: typeof servers): readonly number[] => started.map(({ port }) => port)
  let violations = 0
  for (const { name: subject, run } of racesOn(portsOf(servers), portsOf(serversWithoutRotation))) {
    if (!selected.has(subject)) continue
    const started = performance.now()
    outcomes.clear()
    const wrong = await runRounds(subject, run, plan)
    violations += wrong.length
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(`${name}: ${subject}, ${plan.rounds} rounds, ${seconds} s: ${wrong.length} violations`)
    for (const [outcome, count] of [...outcomes].toSorted(([one], [other]) => one.localeCompare(other)))
      console.log(`  ${count} × ${outcome}`)
    for (const violation of new Set(wrong)) console.log(`  ${violation}`)
  }
  await Promise.all([...servers, ...serversWithoutRotation].map((process) => process.kill()))
  return violations
}

/**
 * Keeps `--at-once` rounds running until all have run. A round that fails, such as on an overloaded machine, is repeated and
 * reported.
 * @returns the violations.
 */
async function runRounds(subject: string, run: Race, { rounds, atOnce }: Plan): Promise<readonly string[]> {
  const wrong: string[] = []
  const failures: string[] = []
  let next = 0
  const runNext = async () => {
    for (let round = next++; round < rounds;) {
      const outcome = await run(round).catch((error: unknown) => String(error))
      if (typeof outcome !== 'string') {
        wrong.push(...outcome)
        if (next % 1000 === 0) console.error(`${subject}: ${next} rounds started, ${wrong.length} violations`)
        round = next++
      } else if (failures.push(outcome) > 10 + rounds / 100) throw new Error(`Too many rounds fail. ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  for (const failure of new Set(failures)) console.log(`  repeated because of: ${failure}`)
  return wrong
}
