import { rmSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { describeSuites } from '../flows/suites/suites.ts'
import { bundle } from './bundle.ts'
import { runtimes } from './runtimes.ts'
import { startRuntime, type RunningRuntime } from './start-runtime.ts'

let folder: string
beforeAll(async () => {
  folder = await bundle({ entry: 'test/runtimes/fixture/worker.ts', node: 'none' })
  await bundle({ entry: 'test/runtimes/fixture/node-server.ts', node: 'all', folder, name: 'node-server' })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(runtimes)('on $name', (runtime) => {
  let running: RunningRuntime
  beforeAll(async () => {
    running = await startRuntime(runtime, folder)
  })
  afterAll(() => running.stop())

  it('reports the user agent of the runtime', () => {
    expect(running.userAgent).toMatch(runtime.userAgent)
  })

  describeSuites(() => running)
})
