import { defineConfig } from 'vitest/config'
import { tallyReporter } from './scripts/tally-reporter.ts'

/** `pnpm test:cluster`: clusters under load, whose hosts are killed and cut off. A machine has one network for its cluster. */
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source'],
    fileParallelism: false,
    reporters: ['default', tallyReporter],
    include: ['test/cluster/*.long.test.ts'],
    // A host that was away may need minutes on a busy machine: test/cluster/until.ts
    testTimeout: 1_200_000,
  },
})
