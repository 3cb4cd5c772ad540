// Measures the cost of Mintmark itself: the same workloads, passed to the server as plain values in one process,
// without sockets. Use it for profiling, and to separate Mintmark's cost from the cost of node:http:
// `pnpm bench core [workload]`.
import { runCommand, selectNamed } from '../../scripts/command-words.ts'
import { scimWorkloads } from './driver/scim-workloads.ts'
import { laneTo } from './driver/service-lane.ts'
import { workloads, type WorkloadName } from './driver/workloads.ts'
import { environment } from './report.ts'
import { databasePath } from './targets/database-path.ts'
import { createMintmarkScim } from './targets/mintmark/create-mintmark-scim.ts'
import { createMintmark } from './targets/mintmark/create-mintmark.ts'

const all = (Object.keys(workloads) as WorkloadName[]).map((name) => ({ name }))
const names = await runCommand('Write pnpm bench core [PART OF THE NAME OF A WORKLOAD].', (words) =>
  selectNamed('workload', all, [words.join(' ')]).map(({ name }) => name),
)

console.log(`${environment()}\n\n| CPU us per flow, lower quartile | memory | SQLite |\n| --- | --- | --- |`)
for (const name of names) console.log(`| ${name} | ${await cost(name, 'memory')} | ${await cost(name, 'sqlite')} |`)
process.exit()

async function cost(name: WorkloadName, storage: 'memory' | 'sqlite'): Promise<string> {
  const create = name in scimWorkloads ? createMintmarkScim : createMintmark
  const rows = name in scimWorkloads ? 1000 : 0
  const { server, site } = await create({
    storage,
    algorithm: 'ES256',
    accessTokens: 'jwt',
    rows,
    sqlitePath: databasePath(),
  })
  const lanes = Array.from({ length: 8 }, () => laneTo(server))
  const flows = await workloads[name].prepare({ ...site, port: 0 }, lanes)
  const batch = async (): Promise<void> => {
    await Promise.all(flows.map(async (flow, index) => repeat(50, async () => flow(lanes[index] ?? laneTo(server)))))
  }
  await repeat(8, batch)

  const costs: number[] = []
  await repeat(24, async () => {
    const before = process.cpuUsage()
    await batch()
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / (50 * flows.length))
  })
  return (costs.toSorted((left, right) => left - right)[6] ?? Number.NaN).toFixed(1)
}

async function repeat(times: number, step: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) await step()
}
