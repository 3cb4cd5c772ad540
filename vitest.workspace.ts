import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './scripts/long-files-first.ts'
import { tallyReporter } from './scripts/tally-reporter.ts'

/** These measure what their process executes, and timers of other tests would count. */
const alone = ['test/performance/files-per-request.test.ts']

/** `pnpm test:long`, with vitest.long.ts. */
const long = ['**/*.long.test.ts']

export default defineConfig({
  test: {
    // Node's own loader and type stripping: what the tests run is what `pnpm dev` runs.
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source'],
    isolate: false,
    // Titles of tests in tables are requirements, which the default of 40 would cut.
    taskTitleValueFormatTruncate: 200,
    // On a busy machine an event may take seconds to come; polls end as soon as it does.
    expect: { poll: { timeout: 30_000 } },
    // Workers, and the programs that tests start by the dozen, read the same sources: compiled once, a start costs half.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') },
    // The default leaves a core free, although much of the work is waiting for databases and a browser.
    maxWorkers: availableParallelism(),
    globalSetup: [
      'packages/storage-sql/test/support/postgres-setup.ts',
      'packages/storage-sql/test/support/mariadb-setup.ts',
    ],
    setupFiles: ['test/support/repeat-rsa-keys.ts', 'test/support/repeat-password-hashes.ts'],
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', tallyReporter],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [...long],
          testTimeout: 60_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'flows',
          include: ['test/**/*.test.ts'],
          // `pnpm packed`, after a build.
          exclude: ['test/packed/**', ...alone, ...long],
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: [...alone], isolate: true, testTimeout: 90_000, hookTimeout: 90_000 },
      },
    ],
  },
})
