import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Runs the test files that take ten seconds or more first in each project, so that none of them runs alone at the end. Files
 * that count function calls run before them: to count, V8 compiles all functions again that the process has loaded.
 * Vitest itself sorts by the durations of the previous run, which a fresh clone does not have. Vitest requires a class.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort.call(this, files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((current) =>
      sorted.filter(({ project }) => project === current).toSorted((a, b) => groupOf(a) - groupOf(b)),
    )
  }
}

function groupOf({ moduleId }: TestSpecification): number {
  const group = groups.findIndex((parts) => parts.some((part) => moduleId.includes(part)))
  return group < 0 ? groups.length : group
}

const countingFiles = [
  'packages/scim/test/filter-laws.test.ts',
  'packages/scim/test/hostile-input/',
  'packages/scim/test/patch-laws.test.ts',
  'packages/scim/test/server/bulk.test.ts',
  'packages/scim/test/server/groups-patch.test.ts',
  'test/attacks/authorization-request-granted.test.ts',
]

const longFiles = [
  'packages/pages/test/browser/',
  'packages/storage-interface/test/broken-stores.test.ts',
  'packages/storage-redis/test/failover.test.ts',
  'packages/storage-redis/test/keys.test.ts',
  'packages/storage-sql/test/broken-transactions.test.ts',
  'packages/storage-sql/test/contention.test.ts',
  'packages/storage-sql/test/copy.test.ts',
  'packages/storage-sql/test/few-rows.test.ts',
  'packages/storage-sql/test/filter-laws.test.ts',
  'packages/storage-sql/test/large-filters.test.ts',
  'packages/storage-sql/test/large-groups.test.ts',
  'packages/storage-sql/test/laws.test.ts',
  'packages/storage-sql/test/linearizability.test.ts',
  'packages/storage-sql/test/mariadb.test.ts',
  'packages/storage-sql/test/mariadb-plans.test.ts',
  'packages/storage-sql/test/membership-races.test.ts',
  'packages/storage-sql/test/postgres-migrations.test.ts',
  'packages/storage-sql/test/provider-plans.test.ts',
  'packages/storage-sql/test/query-plans.test.ts',
  'test/browser/',
  'test/command-line/doctor.test.ts',
  'test/command-line/program.test.ts',
  'test/command-line/rehearse.test.ts',
  'test/docs/api-and-single-page-app.test.ts',
  'test/docs/tutorial.test.ts',
  'test/flows/examples.test.ts',
  'test/laws/asserted-users.test.ts',
  'test/laws/exchanged-tokens.test.ts',
  'test/processes/',
]

const groups = [countingFiles, longFiles]
