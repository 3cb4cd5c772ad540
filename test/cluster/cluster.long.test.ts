import { expect, onTestFailed, test } from 'vitest'

import { runOnThisMachine, type ClusterKind } from './cluster-command.ts'
import { galeraCluster } from './galera-cluster.ts'
import { redisCluster } from './redis-cluster.ts'
import { reasonNotToRun } from './requirements.ts'

interface Trial {
  readonly name: string
  readonly kind: ClusterKind
  /** In their order. */
  readonly faults: readonly string[]
}

/** One after the other: a machine has one network for its cluster. */
const trials: readonly Trial[] = [
  {
    name: 'Redis with Sentinel and waitForReplicas',
    kind: redisCluster,
    faults: ['Redis of the primary is killed', 'the primary is cut off from the other hosts, and not from the servers'],
  },
  {
    name: 'MariaDB Galera with one node that is written',
    kind: galeraCluster,
    faults: [
      'the node that is written is killed',
      'the node that is written is cut off from the others, and not from the servers',
    ],
  },
]

const timeout = 300_000

test.for(trials)(
  '$name loses nothing, issues nothing twice and serves no deactivated user',
  { timeout },
  async (trial) => {
    const reason = reasonNotToRun(trial.kind.requirements)
    if (reason !== undefined) throw new Error(reason)
    const lines: string[] = []
    onTestFailed(() => console.log(lines.join('\n')))

    const { ledger, results } = await runOnThisMachine(trial.kind, {
      minutes: 'once',
      seed: 1,
      only: trial.faults,
      patroni: undefined,
      direct: false,
      protection: 'wait',
      writers: 'one',
      keep: false,
      log: (line) => void lines.push(line),
    })

    expect(results.map(({ name }) => name)).toEqual(['nothing', ...trial.faults])
    const { lost, doubled, survivors } = ledger
    expect({ lost, doubled, survivors }).toEqual({ lost: [], doubled: [], survivors: [] })
    expect(ledger.users.size).toBeGreaterThan(10)
    expect(ledger.ended.length).toBeGreaterThan(0)
  },
)
