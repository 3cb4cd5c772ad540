import { defineConfig } from 'vitest/config'
import { tallyReporter } from './scripts/tally-reporter.ts'

/**
 * What users install: the tarballs, in projects outside the repository. Not part of `pnpm test`: packing and installing take
 * their time.
 */
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source'],
    isolate: false,
    // Titles of tests in tables are requirements, which the default of 40 would cut.
    taskTitleValueFormatTruncate: 200,
    // Compilers and servers are programs of their own: much of the work is waiting for them.
    maxWorkers: 2,
    globalSetup: ['packages/storage-sql/test/support/postgres-setup.ts', 'test/packed/packed-setup.ts'],
    reporters: ['default', tallyReporter],
    include: ['test/packed/**/*.test.ts'],
    // On a busy machine, npm and the compilers of frameworks take minutes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
