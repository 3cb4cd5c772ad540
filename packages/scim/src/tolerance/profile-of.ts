import {
  allTolerances,
  entraTolerances,
  generalTolerances,
  oktaTolerances,
  oneLoginTolerances,
  strictTolerances,
} from './tolerance-profiles.ts'
import type { Tolerances } from './tolerance.ts'

/** The names that a connection chooses among. */
export const toleranceProfiles = {
  strict: strictTolerances,
  general: generalTolerances,
  entra: entraTolerances,
  okta: oktaTolerances,
  oneLogin: oneLoginTolerances,
  all: allTolerances,
} as const satisfies Record<string, Tolerances>

/** The name of a profile. */
export type ToleranceProfile = keyof typeof toleranceProfiles

const isToleranceProfile = (name: string): name is ToleranceProfile => Object.hasOwn(toleranceProfiles, name)

/** What a connection tolerates. A name that is not known, from a later version perhaps, means the least. */
export const profileOf = (name: string): Tolerances =>
  isToleranceProfile(name) ? toleranceProfiles[name] : strictTolerances
