import type { WorkloadName } from '../driver/workloads.ts'
import type { TargetSettings } from '../site.ts'

/** A server in a suite. */
export interface SuiteTarget {
  readonly name: string
  /** Below `targets/`. */
  readonly program: string
  readonly settings: TargetSettings
}

/** The targets that are measured together, and their workloads: one table of the report for each workload. */
export interface Suite {
  readonly name: string
  readonly workloads: readonly WorkloadName[]
  readonly targets: readonly SuiteTarget[]
}

/** How a target differs from the default one. */
export type Change = Partial<TargetSettings>

/** A target; by default in memory, with JWTs signed with ES256, and without existing data. */
export const target = (name: string, program: string, change: Change = {}): SuiteTarget => ({
  name,
  program,
  settings: { storage: 'memory', algorithm: 'ES256', accessTokens: 'jwt', rows: 0, ...change },
})
