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
