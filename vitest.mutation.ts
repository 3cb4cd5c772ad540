import { defineConfig } from 'vitest/config'

// The tests that run in one process: the changed guard is not active in a program that a test starts.
export default defineConfig({
  test: {
    experimental: { viteModuleRunner: false },
    execArgv: ['--conditions=@mintmark/source'],
    isolate: false,
    globalSetup: ['packages/storage-sql/test/support/postgres-setup.ts'],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    include: [
      'packages/{admin,core,internal,resource-server,scim,storage-interface,storage-redis,storage-sql}/**/*.test.ts',
      'test/{attacks,command-line,conformance,flows,laws,transport}/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**'],
  },
})
