// Runs each race a thousand times, with four servers over one database: `pnpm stress race [rounds] [part of a race's name]`.
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { unrotatedTokenRacesOf } from './unrotated-token-races.ts'
import { cibaRacesOf } from './ciba-races.ts'
import { assertionRacesOf, createPartner } from './assertion-races.ts'
import { endRacesOf } from './end-races.ts'
import { exchangeRacesOf } from './exchange-races.ts'
import { racesOf } from './races.ts'
import { scimRacesOf } from './scim-races.ts'
import { sessionRacesOf } from './session-races.ts'
import { startServerProcesses } from './server-processes.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

const rounds = Number(process.argv[2] ?? 1000)
const selected = process.argv[3] ?? ''
let violations = 0

const server = await startPostgres()
await race('PostgreSQL', await openPostgresSite(server.url))
await server.stop()
await race('SQLite', await openSqliteSite())
process.exitCode = violations === 0 ? 0 : 1

async function race(name: string, site: ProcessSite): Promise<void> {
  const partner = await createPartner(site)
  const servers = await startServerProcesses(site.database, 4, { partnerKeys: partner.keys })
  const serversWithoutRotation = await startServerProcesses(site.database, 4, { rotation: 'unbound_only' })
  const ports = servers.map(({ port }) => port)
  const races = {
    ...racesOf(site, ports),
    ...scimRacesOf(site, ports),
    ...sessionRacesOf(site, ports),
    ...cibaRacesOf(site, ports),
    ...assertionRacesOf(site, ports, partner),
    ...exchangeRacesOf(site, ports),
    ...unrotatedTokenRacesOf(
      site,
      serversWithoutRotation.map(({ port }) => port),
    ),
    // The last, because it drops the signing key.
    ...endRacesOf(site, ports),
  }
  for (const [subject, run] of Object.entries(races).filter(([name]) => name.includes(selected))) {
    const started = performance.now()
    const wrong: string[] = []
    for (let round = 0; round < rounds; round += 1) wrong.push(...(await run(round)))
    violations += wrong.length
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(`${name}: ${subject}, ${rounds} rounds, ${seconds} s: ${wrong.length} violations`)
    for (const violation of new Set(wrong)) console.log(`  ${violation}`)
  }
  await Promise.all([...servers, ...serversWithoutRotation].map((process) => process.kill()))
  await site.close()
}
