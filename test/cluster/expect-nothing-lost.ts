import { expect, onTestFailed } from 'vitest'

import { runOnThisMachine, type ClusterKind } from './cluster-command.ts'
import { reasonNotToRun } from './requirements.ts'

/**
 * Breaks a cluster under load, and expects that nothing confirmed is lost, issued twice or served after a deactivation.
 * @param faults in their order.
 */
export async function expectNothingLost(kind: ClusterKind, faults: readonly string[]): Promise<void> {
  const reason = reasonNotToRun(kind.requirements)
  if (reason !== undefined) throw new Error(reason)
  const lines: string[] = []
  onTestFailed(() => console.log(lines.join('\n')))

  const { ledger, results } = await runOnThisMachine(kind, {
    minutes: 'once',
    seed: 1,
    only: faults,
    patroni: undefined,
    direct: false,
    protection: 'wait',
    writers: 'one',
    keep: false,
    log: (line) => void lines.push(line),
  })

  expect(results.map(({ name }) => name)).toEqual(['nothing', ...faults])
  const { lost, doubled, survivors } = ledger
  expect({ lost, doubled, survivors }).toEqual({ lost: [], doubled: [], survivors: [] })
  expect(ledger.users.size).toBeGreaterThan(10)
  expect(ledger.ended.length).toBeGreaterThan(0)
}
