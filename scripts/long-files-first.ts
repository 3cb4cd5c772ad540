import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Runs the test files that take ten seconds or more first in each project, so that none of them runs alone at the end.
 * Vitest itself sorts by the durations of the previous run, which a fresh clone does not have. Vitest requires a class.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort.call(this, files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((current) => {
      const projectFiles = sorted.filter(({ project }) => project === current)
      return [...projectFiles.filter(isLong), ...projectFiles.filter((file) => !isLong(file))]
    })
  }
}

const isLong = ({ moduleId }: TestSpecification): boolean => longFiles.some((part) => moduleId.includes(part))

const longFiles = [
  'packages/pages/test/browser/',
  'packages/scim/test/hostile-input/filters.test.ts',
  'packages/storage-sql/test/broken-transactions.test.ts',
  'packages/storage-sql/test/few-rows.test.ts',
  'packages/storage-sql/test/large-groups.test.ts',
  'packages/storage-sql/test/laws.test.ts',
  'packages/storage-sql/test/linearizability.test.ts',
  'packages/storage-sql/test/postgres-migrations.test.ts',
  'packages/storage-sql/test/provider-plans.test.ts',
  'packages/storage-sql/test/query-plans.test.ts',
  'test/attacks/provisioned-name.test.ts',
  'test/browser/',
  'test/flows/examples.test.ts',
  'test/processes/races.test.ts',
]
