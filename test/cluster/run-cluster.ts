import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'

import { chosenName, positiveCount, positiveNumber, selectNamed } from '../../scripts/command-words.ts'
import type { ServerProcess } from '../processes/server-processes.ts'
import type { ProcessSite } from '../processes/test-database.ts'
import { runFault, tableOf, type Fault, type FaultResult } from './faults.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { startLoad, type Step } from './load.ts'
import { createAsk, type Attempt } from './requester.ts'
import { verifyLedger } from './verify.ts'

/**
 * - `none`: Redis as it is delivered.
 * - `min-replicas`: a primary without a replica refuses writes after some seconds.
 * - `wait`: in addition, the servers wait for one replica.
 */
const redisProtections = ['none', 'min-replicas', 'wait'] as const
export type RedisProtection = (typeof redisProtections)[number]

/** The words of the command. */
export interface ClusterOptions {
  /** When this time has passed, no further fault begins. `once`: every fault happens once. */
  readonly minutes: number | 'once'
  readonly seed: number
  /** Only faults whose names contain one of these; all if there are none. */
  readonly only: readonly string[]
  /** Another program than that of Debian, for the cluster of PostgreSQL. */
  readonly patroni: string | undefined
  /** Whether the servers of the cluster of PostgreSQL do without PgBouncer. */
  readonly direct: boolean
  /** How the cluster of Redis confirms writes. */
  readonly protection: RedisProtection
  /** Whether the servers of the cluster of Galera write to a node each, or all to the same. */
  readonly writers: 'all' | 'one'
  /** Whether logs and data stay. */
  readonly keep: boolean
  readonly log: (line: string) => void
}

/** @throws WrongWordsError, and what `parseArgs` throws. */
export function clusterOptions(args: string[]): ClusterOptions {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '15' },
      seed: { type: 'string', default: '1' },
      fault: { type: 'string', multiple: true, default: [] },
      patroni: { type: 'string' },
      direct: { type: 'boolean', default: false },
      protection: { type: 'string', default: 'wait' },
      writers: { type: 'string', default: 'one' },
      keep: { type: 'boolean', default: false },
    },
  })
  const start = performance.now()
  return {
    minutes: values.minutes === 'once' ? 'once' : positiveNumber('--minutes', values.minutes),
    seed: positiveCount('--seed', values.seed),
    only: values.fault,
    patroni: values.patroni,
    direct: values.direct,
    protection: chosenName('--protection', redisProtections, values.protection),
    writers: chosenName('--writers', ['all', 'one'], values.writers),
    keep: values.keep,
    log: (line) => console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`),
  }
}

/** A cluster under load. */
export interface ClusterUnderLoad {
  readonly site: ProcessSite
  readonly servers: ServerProcess[]
  readonly faults: readonly Fault[]
  readonly untilWhole: () => Promise<void>
  /** The writes that the cluster confirms, if another database confirms the rest. */
  readonly writes?: readonly Attempt['kind'][]
  /** Steps of further workers. */
  readonly steps?: readonly Step[]
  /** What is verified at the end, besides the ledger. */
  readonly verify?: Step
}

export interface ClusterResult {
  readonly results: readonly FaultResult[]
  readonly ledger: Ledger
}

/**
 * Runs the load, injects the faults one after the other, and verifies the ledger.
 * @throws WrongWordsError if the options name a fault that the cluster does not have.
 */
export async function runCluster(cluster: ClusterUnderLoad, options: ClusterOptions): Promise<ClusterResult> {
  const { log, only } = options
  const faults = selectNamed('fault', cluster.faults, only.length === 0 ? [''] : only)
  const random = seeded(options.seed)
  const ledger = createLedger()
  const attempts: Attempt[] = []
  const ports = (): readonly number[] => cluster.servers.map(({ port }) => port)
  const plan = { site: cluster.site, ask: createAsk(ports, attempts), ports, ledger, random }
  const load = startLoad(plan, cluster.steps ?? [])
  const results: FaultResult[] = []
  const { untilWhole, writes = ['write', 'expiring'] } = cluster

  for (const fault of faultsUntilEnd(faults, options))
    results.push(await runFault(fault, { ledger, attempts, untilWhole, writes, log }))
  await load.stop()
  log(`verifies ${ledger.users.size} users, ${ledger.families.size} sign-ins, ${ledger.ended.length} ended sign-ins`)
  await verifyLedger(plan)
  await cluster.verify?.(plan)
  return { results, ledger }
}

/** For comparison. */
const nothing: Fault = { name: 'nothing', seconds: 10, inject: async () => async () => undefined }

/** The faults in their order, and then at random until the time is over. */
function* faultsUntilEnd(faults: readonly Fault[], { minutes, seed }: ClusterOptions): Generator<Fault> {
  const random = seeded(seed + 1)
  yield nothing
  const end = performance.now() + (minutes === 'once' ? 0 : minutes * 60_000)
  for (let turn = 0; minutes === 'once' ? turn < faults.length : performance.now() < end; turn += 1) {
    const fault = faults[turn] ?? faults[Math.floor(random() * faults.length)]
    if (fault !== undefined) yield fault
  }
}

/** Prints the results. @returns the exit code. */
export function report({ results, ledger }: ClusterResult): number {
  const { lost, doubled, survivors } = ledger
  console.log(`\n${tableOf(results)}\n`)
  console.log(`Machine: ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB.`)
  console.log(
    `Users ${ledger.users.size}, sign-ins ${ledger.families.size + ledger.ended.length}. ` +
      `Lost ${lost.length}, doubled ${doubled.length}, survivors ${survivors.length}.`,
  )
  const contradictions = contradictionsOf({ ledger })
  for (const sentence of contradictions.slice(0, 20)) console.log(`  ${sentence}`)
  return contradictions.length === 0 ? 0 : 1
}

/** What contradicts a confirmation. */
export const contradictionsOf = ({ ledger }: Pick<ClusterResult, 'ledger'>): readonly string[] => [
  ...ledger.lost,
  ...ledger.doubled,
  ...ledger.survivors,
]

/** A generator of numbers from 0 up to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
