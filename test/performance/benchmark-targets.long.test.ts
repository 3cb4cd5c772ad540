import { afterAll, describe, expect, it } from 'vitest'

import { openLane, type Lane } from '../../benchmarks/src/driver/lane.ts'
import { workloads, type WorkloadName } from '../../benchmarks/src/driver/workloads.ts'
import type { Site } from '../../benchmarks/src/site.ts'
import { floorOurs, oauthMintmark, oauthSuites } from '../../benchmarks/src/suites/oauth-suites.ts'
import { scimFloorOurWork, scimMintmark, scimSuites } from '../../benchmarks/src/suites/scim-suites.ts'
import type { SuiteTarget } from '../../benchmarks/src/suites/suite.ts'
import { startTarget } from '../../benchmarks/src/target-process.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'

/**
 * Mintmark and the floors, which are minimal servers, each with its workloads of all suites. Peers are left out: they
 * only change with their versions, and are slow to start.
 */
const targets = new Map<string, { readonly target: SuiteTarget; readonly workloadNames: Set<WorkloadName> }>()
for (const { workloads: names, targets: measured } of [...oauthSuites, ...scimSuites]) {
  for (const target of measured.filter(
    ({ program, settings }) => !program.startsWith('peers/') && settings.algorithm === 'ES256',
  )) {
    const { storage, accessTokens } = target.settings
    const key = `${target.program} on ${storage} with ${accessTokens}`
    const { workloadNames } = targets.get(key) ?? { workloadNames: new Set() }
    targets.set(key, { target, workloadNames: new Set([...workloadNames, ...names.map(withFewTokens)]) })
  }
}

/** Returns a workload with the same requests and far less preparation. */
function withFewTokens(name: WorkloadName): WorkloadName {
  return name === 'introspection' || name === 'userinfo' ? `${name}, repeated` : name
}

const removals: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const remove of removals) await remove()
})

// A wrong response may be fast. A workload throws an error if a response differs from the expected one.
describe.concurrent('benchmark targets', () => {
  it.each([...targets])('%s responds correctly', async (_, { target, workloadNames }) => {
    const responses = await responsesOf(target, [...workloadNames])

    expect([...responses.keys()]).toEqual([...workloadNames])
  })

  it.each(['sqlite', 'postgres'] as const)(
    "on %s, a floor with Mintmark's statements gives the same responses about users",
    async (storage) => {
      const names: readonly WorkloadName[] = [
        'userName eq',
        'work e-mail eq',
        'page of 100',
        'PATCH active',
        'POST user',
      ]

      const [floor, mintmark] = await Promise.all(
        [scimFloorOurWork, scimMintmark].map(async (create) =>
          responsesOf(create('under test', { storage, rows: 1000 }), names),
        ),
      )

      expect(withoutRandomValues(floor)).toEqual(withoutRandomValues(mintmark))
    },
  )

  it.each(['sqlite', 'postgres'] as const)(
    "on %s, a floor with Mintmark's statements issues the same tokens",
    async (storage) => {
      const names: readonly WorkloadName[] = ['client credentials', 'refresh', 'code + PKCE', 'userinfo, repeated']

      const [floor, mintmark] = await Promise.all(
        [floorOurs, oauthMintmark].map(async (create) => responsesOf(create('under test', { storage }), names)),
      )

      expect(membersOf(floor)).toEqual(membersOf(mintmark))
    },
  )
})

type Responses = ReadonlyMap<WorkloadName, readonly string[]>

/** Runs each workload. @returns the bodies of the responses, in order. */
async function responsesOf({ program, settings }: SuiteTarget, names: readonly WorkloadName[]): Promise<Responses> {
  const database = settings.storage === 'postgres' ? await aDatabase() : undefined
  if (database !== undefined) removals.push(async () => database.remove())
  const target = await startTarget(program, {
    settings: { ...settings, ...(database && { postgresUrl: database.url }) },
    profileFolder: undefined,
  })
  try {
    const responses = new Map<WorkloadName, readonly string[]>()
    for (const name of names) responses.set(name, await runTwice(name, target.site))
    return responses
  } finally {
    await target.stop()
  }
}

async function runTwice(name: WorkloadName, site: Site): Promise<readonly string[]> {
  const lane = await openLane(site.port)
  const bodies: string[] = []
  const recordingLane: Lane = {
    ...lane,
    exchange: async (request) => {
      const reply = await lane.exchange(request)
      bodies.push(reply.body)
      return reply
    },
  }
  try {
    const [flow] = await workloads[name].prepare(site, [recordingLane])
    await flow?.(recordingLane)
    await flow?.(recordingLane)
    return bodies
  } finally {
    lane.close()
  }
}

/** Replaces random values and times, which differ between servers. */
const withoutRandomValues = (responses: Responses | undefined): readonly unknown[] =>
  [...(responses ?? [])].map(([name, bodies]) => [
    name,
    bodies.map((body): unknown =>
      JSON.parse(body.replaceAll(uuid, 'number').replaceAll(dateTime, 'time').replaceAll(newId, '$1new"')),
    ),
  ])

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g
const dateTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
/** An identifier that the server created. */
const newId = /("id":"|\/Users\/)[\w-]{22}"/g

const membersOf = (responses: Responses | undefined): readonly unknown[] =>
  [...(responses ?? [])].map(([name, bodies]) => [
    name,
    bodies.filter(Boolean).map((body) => Object.keys(JSON.parse(body) as object).toSorted()),
  ])
