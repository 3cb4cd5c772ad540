import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { describeSuites } from '../flows/suites/suites.ts'
import type { Runtime } from '../runtimes/runtimes.ts'
import { startRuntime, type RunningRuntime } from '../runtimes/start-runtime.ts'
import { adapters } from '../support/adapters.ts'
import { bundleOutside } from './bundle-outside.ts'

const { folder, oldestNode } = inject('outside')

beforeAll(() => bundleOutside('test/packed/served-site.ts', join(folder, 'served-site.mjs')))

/** The matrix of flows: discovery, codes with PKCE, tokens, userinfo, SCIM, other origins, adapter requirements. */
describe.each(adapters)('installed from tarballs on the oldest supported Node, on $name', ({ name }) => {
  const command: Runtime['command'] = () => [oldestNode, 'served-site.mjs', name]
  const runtime: Runtime = { name: 'Node', userAgent: /^Node\.js\/22$/, command }
  let running: RunningRuntime
  beforeAll(async () => {
    running = await startRuntime(runtime, folder)
  })
  afterAll(() => running.stop())

  it('runs on that Node', () => {
    expect(running.userAgent).toMatch(runtime.userAgent)
  })

  describeSuites(() => running)
})
