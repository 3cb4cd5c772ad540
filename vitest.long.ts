import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongFilesFirst } from './scripts/long-files-first.ts'
import { tallyReporter } from './scripts/tally-reporter.ts'

/**
 * `pnpm test:long`: more rounds, and what takes long, such as processes that are killed, outages, migrations of each
 * version, and all pages in a browser.
 */
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source'],
    isolate: false,
    // Titles of tests in tables are requirements, which the default of 40 would cut.
    taskTitleValueFormatTruncate: 200,
    expect: { poll: { timeout: 30_000 } },
    env: { MINTMARK_ROUNDS: 'long' },
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongFilesFirst },
    globalSetup: [
      'packages/storage-sql/test/support/postgres-setup.ts',
      'packages/storage-sql/test/support/mariadb-setup.ts',
    ],
    setupFiles: ['test/support/repeat-rsa-keys.ts', 'test/support/repeat-password-hashes.ts'],
    reporters: ['default', tallyReporter],
    include: ['{packages,test}/**/*.long.test.ts', ...filesWithRounds()],
    // See vitest.cluster.ts.
    exclude: [...configDefaults.exclude, 'test/cluster/**'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})

/** Test files whose number of rounds depends on the command. */
function filesWithRounds(): readonly string[] {
  const files = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'])
  return files.filter((file) => readFileSync(file, 'utf8').includes('rounds({ fast:'))
}
