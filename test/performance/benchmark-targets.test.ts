import { afterAll, describe, expect, it } from 'vitest'

import { openLane } from '../../benchmarks/src/driver/lane.ts'
import { workloads, type WorkloadName } from '../../benchmarks/src/driver/workloads.ts'
import type { Site } from '../../benchmarks/src/site.ts'
import { oauthSuites } from '../../benchmarks/src/suites/oauth-suites.ts'
import { scimSuites } from '../../benchmarks/src/suites/scim-suites.ts'
import type { SuiteTarget } from '../../benchmarks/src/suites/suite.ts'
import { startTarget } from '../../benchmarks/src/target-process.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'

/** Ours and the floors, each with all that any suite asks of it. Peers change with their versions alone, and take long to start. */
const targets = new Map<string, { readonly target: SuiteTarget; readonly asked: Set<WorkloadName> }>()
for (const { workloads: names, targets: measured } of [...oauthSuites, ...scimSuites]) {
  for (const target of measured.filter(({ program, settings }) => !program.startsWith('peers/') && settings.algorithm === 'ES256')) {
    const { storage, accessTokens } = target.settings
    const key = `${target.program} on ${storage} with ${accessTokens}`
    const { asked } = targets.get(key) ?? { asked: new Set() }
    targets.set(key, { target, asked: new Set([...asked, ...names.map(withFewTokens)]) })
  }
}

/** The same requests, and far less to obtain for them. */
function withFewTokens(name: WorkloadName): WorkloadName {
  return name === 'introspection' || name === 'userinfo' ? `${name}, repeated` : name
}

const removals: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

// What answers wrongly may be fast. A workload throws when an answer is not the expected one.
describe.concurrent('what is measured', () => {
  it.each([...targets])('%s answers as it should', async (_, { target: { program, settings }, asked }) => {
    const database = settings.storage === 'postgres' ? await aDatabase() : undefined
    if (database !== undefined) removals.push(async () => database.remove())
    const target = await startTarget(program, { settings: { ...settings, ...(database && { postgresUrl: database.url }) }, profileFolder: undefined })
    try {
      const answered: string[] = []
      for (const name of asked) {
        await runOnce(name, target.site)
        answered.push(name)
      }
      expect(answered).toEqual([...asked])
    } finally {
      await target.stop()
    }
  })
})

async function runOnce(name: WorkloadName, site: Site): Promise<void> {
  const lane = await openLane(site.port)
  try {
    const [flow] = await workloads[name].prepare(site, [lane])
    await flow?.(lane)
    await flow?.(lane)
  } finally {
    lane.close()
  }
}
