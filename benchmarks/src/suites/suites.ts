import { selectNamed } from '../../../scripts/command-words.ts'
import { growthSuites } from './growth-suites.ts'
import { oauthSuites } from './oauth-suites.ts'
import { scimSuites } from './scim-suites.ts'
import { selectTargets, type Suite } from './suite.ts'

/**
 * Returns all suites.
 * @param sizes the numbers of rows in the growth suites.
 */
export const allSuites = (sizes: readonly number[]): readonly Suite[] => [
  ...oauthSuites,
  ...scimSuites,
  ...growthSuites(sizes),
]

/** Parts of names. */
interface Selection {
  readonly suite: readonly string[]
  readonly workload: string
  readonly target: readonly string[]
}

/**
 * Returns the suites, workloads and targets whose name contains one of the parts, and the floors.
 * @throws WrongWordsError if a part is in no name of the selected suites.
 */
export function selectSuites(all: readonly Suite[], { suite, workload, target }: Selection): readonly Suite[] {
  const suites = selectNamed('suite', all, suite)
  const workloads = suites.flatMap((each) => each.workloads.map((name) => ({ name })))
  const selected = new Set(selectNamed('workload', workloads, [workload]).map(({ name }) => name))
  const targets = new Set(
    selectTargets(
      suites.flatMap((each) => each.targets),
      target,
    ),
  )
  return suites
    .map((each) => ({
      ...each,
      workloads: each.workloads.filter((name) => selected.has(name)),
      targets: each.targets.filter((one) => targets.has(one)),
    }))
    .filter((each) => each.workloads.length > 0)
}
