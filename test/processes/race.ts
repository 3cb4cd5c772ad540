// Runs each race a thousand times, with four servers over one database:
// `pnpm stress race [rounds] [part of a race's name] [--at-once n] [--database name]`. `--at-once` is for races whose rounds
// share nothing: all but the last one, which disables the client.
import { parseArgs } from 'node:util'

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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'at-once': { type: 'string', default: '1' }, database: { type: 'string', default: '' } },
})
const [rounds, selected] = [Number(positionals[0] ?? 1000), positionals[1] ?? '']
const atOnce = Number(values['at-once'])
let violations = 0

if ('PostgreSQL'.includes(values.database)) {
  const server = await startPostgres()
  await race('PostgreSQL', await openPostgresSite(server.url))
  await server.stop()
}
if ('SQLite'.includes(values.database)) await race('SQLite', await openSqliteSite())
process.exitCode = violations === 0 ? 0 : 1

async function race(name: string, site: ProcessSite): Promise<void> {
  const partner = await createPartner(site)
  const servers = await startServerProcesses(site.database, 4, { partnerKeys: partner.keys })
  const isUnrotatedSelected = Object.keys(unrotatedTokenRacesOf(site, [])).some((subject) => subject.includes(selected))
  const serversWithoutRotation = isUnrotatedSelected
    ? await startServerProcesses(site.database, 4, { rotation: 'unbound_only' })
    : []
  const ports = servers.map(({ port }) => port)
  const outcomes = new Map<string, number>()
  const onOutcome = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const races = {
    ...racesOf(site, ports),
    ...scimRacesOf(site, ports),
    ...sessionRacesOf(site, ports),
    ...cibaRacesOf(site, ports, onOutcome),
    ...assertionRacesOf(site, ports, partner),
    ...exchangeRacesOf(site, ports, onOutcome),
    ...unrotatedTokenRacesOf(
      site,
      serversWithoutRotation.map(({ port }) => port),
    ),
    // The last, because it drops the signing key.
    ...endRacesOf(site, ports),
  }
  for (const [subject, run] of Object.entries(races).filter(([name]) => name.includes(selected))) {
    const started = performance.now()
    outcomes.clear()
    const wrong = await runRounds(subject, run)
    violations += wrong.length
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(`${name}: ${subject}, ${rounds} rounds, ${seconds} s: ${wrong.length} violations`)
    for (const [outcome, count] of [...outcomes].toSorted(([one], [other]) => one.localeCompare(other)))
      console.log(`  ${count} × ${outcome}`)
    for (const violation of new Set(wrong)) console.log(`  ${violation}`)
  }
  await Promise.all([...servers, ...serversWithoutRotation].map((process) => process.kill()))
  await site.close()
}

/**
 * Keeps `--at-once` rounds running until all have run. A round that fails, such as on an overloaded machine, is repeated and
 * reported.
 * @returns the violations.
 */
async function runRounds(subject: string, run: Race): Promise<readonly string[]> {
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
