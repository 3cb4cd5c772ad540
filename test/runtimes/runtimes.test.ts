import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeSuites } from '../flows/suites/suites.ts'
import { runtimes } from './runtimes.ts'
import { startRuntime, type RunningRuntime } from './start-runtime.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mintmark-runtimes-'))
  const options = { bundle: true, format: 'esm', outdir: folder, outExtension: { '.js': '.mjs' }, logLevel: 'error' } as const
  await build({
    ...options,
    entryPoints: ['test/runtimes/fixture/worker.ts'],
    // Nothing of Node: a `node:` import of ours would stop the bundling here.
    platform: 'neutral',
    conditions: ['@mintmark/source', 'workerd', 'worker', 'import'],
  })
  await build({ ...options, entryPoints: ['test/runtimes/fixture/node-server.ts'], platform: 'node', conditions: ['@mintmark/source'] })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(runtimes)('on $name', (runtime) => {
  let running: RunningRuntime
  beforeAll(async () => {
    running = await startRuntime(runtime, folder)
  })
  afterAll(() => running.stop())

  it('is that runtime', () => {
    expect(running.userAgent).toMatch(runtime.userAgent)
  })

  describeSuites(() => running)
})
