import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The test files of a run, in the order in which they run. Without them, all tests in which a changed guard is in this process. */
const files = process.env['MINTMARK_TEST_FILES']?.split('\n')

/** A class because Vitest asks for one. */
class InGivenOrder extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    return specifications.toSorted((a, b) => rank(a) - rank(b))
  }
}

const rank = ({ moduleId }: TestSpecification): number => files?.findIndex((file) => moduleId.endsWith(file)) ?? 0

export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source', `--import=${resolve('test/mutation/change-on-load.ts')}`],
    isolate: false,
    // Titles of tests in tables are requirements, which the default of 40 would cut.
    taskTitleValueFormatTruncate: 200,
    globalSetup: [
      'packages/storage-sql/test/support/postgres-setup.ts',
      'packages/storage-sql/test/support/mariadb-setup.ts',
    ],
    setupFiles: [
      'test/support/repeat-rsa-keys.ts',
      'test/support/repeat-password-hashes.ts',
      'test/mutation/record-reached.ts',
    ],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    sequence: { sequencer: InGivenOrder },
    include: files ?? [
      'packages/{admin,core,internal,resource-server,scim,storage-interface,storage-redis,storage-sql}/**/*.test.ts',
      'test/{attacks,command-line,conformance,flows,laws,transport}/**/*.test.ts',
      'test/docs/reference.test.ts',
    ],
    exclude: ['**/node_modules/**'],
  },
})
