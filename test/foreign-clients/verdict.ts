import type { ForeignClient } from './foreign-client.ts'

/** The result that a program reported for one of its checks. */
export interface CheckResult {
  readonly title: string
  /** Why it failed; absent when it passed. */
  readonly failure?: string
}

/** The results of a client that ran, one for each of its checks, and the problems that make the command fail. */
export interface Verdict {
  readonly results: readonly CheckResult[]
  readonly problems: readonly string[]
}

/** Compares the results that a program reported with the checks that the table lists for its client. */
export function verdictOn(
  { checks, expectedFailures = {} }: Pick<ForeignClient, 'checks' | 'expectedFailures'>,
  reported: readonly CheckResult[],
): Verdict {
  const results = checks.map(
    (title) => reported.find((result) => result.title === title) ?? { title, failure: 'the program did not report it' },
  )
  const unknown = reported.filter(({ title }) => !checks.includes(title))
  return {
    results,
    problems: [
      ...results.flatMap(({ title, failure }) => {
        const isExpected = title in expectedFailures
        if (failure === undefined) return isExpected ? [`${title}: passes now, remove it from expectedFailures`] : []
        return isExpected ? [] : [`${title}: ${failure}`]
      }),
      ...unknown.map(({ title }) => `${title}: reported, but not in the table`),
      ...Object.keys(expectedFailures).flatMap((title) =>
        checks.includes(title) ? [] : [`${title}: expected to fail, but not in the table`],
      ),
    ],
  }
}
