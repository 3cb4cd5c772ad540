import { runCommand } from '../../scripts/command-words.ts'
import type { BreakableServers } from './server-faults.ts'
import { createMachine, removeLeftovers, type Machine } from './machine.ts'
import { reasonNotToRun, type Requirement } from './requirements.ts'
import {
  clusterOptions,
  contradictionsOf,
  report,
  runCluster,
  type ClusterOptions,
  type ClusterResult,
  type ClusterUnderLoad,
} from './run-cluster.ts'

/** A cluster that can be started on one machine, and broken. */
export interface ClusterKind {
  /** The user that runs its programs. */
  readonly account: string
  readonly requirements: readonly Requirement[]
  /** Starts the cluster, and servers that use it. */
  start(machine: Machine, options: ClusterOptions): Promise<ClusterUnderLoad & Pick<BreakableServers, 'servers'>>
}

/** Runs a cluster as a command, and sets the exit code. If this machine cannot run it, the command says why. */
export const runAsCommand = (kind: ClusterKind): Promise<void> =>
  runCommand(usage, async (words) => {
    const options = clusterOptions(words)
    const reason = reasonNotToRun(kind.requirements)
    if (reason === undefined) process.exitCode = report(await runOnThisMachine(kind, options))
    else console.log(`Not run. ${reason}`)
  })

const usage =
  'Write pnpm cluster NAME [--minutes NUMBER|once] [--seed NUMBER] [--fault PART OF A NAME] [--keep]; for postgres also ' +
  '[--patroni PATH] [--direct], for redis [--protection none|min-replicas|wait], for galera [--writers all|one].'

/** Starts a cluster, breaks it under load, verifies what it confirmed, and removes it. */
export async function runOnThisMachine(kind: ClusterKind, options: ClusterOptions): Promise<ClusterResult> {
  await removeLeftovers()
  const machine = await createMachine(kind.account)
  options.log(`logs and data are in ${machine.folder}`)
  let keepFolder = options.keep
  try {
    const cluster = await kind.start(machine, options)
    try {
      const result = await runCluster(cluster, options)
      // They say what happened.
      keepFolder ||= contradictionsOf(result).length > 0
      return result
    } finally {
      for (const server of cluster.servers) await server.kill()
      await cluster.site.close()
    }
  } finally {
    await machine.remove({ keepFolder })
  }
}
