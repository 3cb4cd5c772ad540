import { selectNamed } from '../../../scripts/command-words.ts'
import type { WorkloadName } from '../driver/workloads.ts'
import type { TargetSettings } from '../site.ts'

/** A server in a suite. */
export interface SuiteTarget {
  readonly name: string
  /** The path below `targets/`. */
  readonly program: string
  readonly settings: TargetSettings
}

/** Targets that are measured together, and their workloads. The report has one table for each workload. */
export interface Suite {
  readonly name: string
  readonly workloads: readonly WorkloadName[]
  readonly targets: readonly SuiteTarget[]
}

/** The settings of a target that differ from the default. */
export type Change = Partial<TargetSettings>

/** Creates a target. By default it stores in memory, signs JWTs with ES256, and has no existing data. */
export const target = (name: string, program: string, change: Change = {}): SuiteTarget => ({
  name,
  program,
  settings: { storage: 'memory', algorithm: 'ES256', accessTokens: 'jwt', rows: 0, ...change },
})

/**
 * Returns the targets whose name contains one of the parts, and the floors, which the others are compared with.
 * @throws WrongWordsError if a part is in no name.
 */
export function selectTargets(all: readonly SuiteTarget[], parts: readonly string[]): readonly SuiteTarget[] {
  const selected = new Set(selectNamed('target', all, parts))
  return all.filter((each) => each.name.startsWith('floor') || selected.has(each))
}
