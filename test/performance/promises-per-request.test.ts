import { createHook } from 'node:async_hooks'

import { expect, it } from 'vitest'

import { laneTo } from '../../benchmarks/src/driver/service-lane.ts'
import { workloads, type WorkloadName } from '../../benchmarks/src/driver/workloads.ts'
import { createMintmark } from '../../benchmarks/src/targets/mintmark/create-mintmark.ts'

// Much of a short request is the promises on its way: each is an object and a turn of the queue. The numbers
// include about ten promises of the lane that sends the request. Explain the reason when you raise one.
it.each([
  { workload: 'introspection, repeated', atMost: 32 },
  { workload: 'userinfo, repeated', atMost: 35 },
  { workload: 'code', atMost: 68 },
  { workload: 'code + PKCE', atMost: 169 },
] as const)('$workload: a request in memory creates at most $atMost promises', async ({ workload, atMost }) => {
  expect(await fewestPromises(workload)).toBeLessThanOrEqual(atMost)
})

/** Sends a request twenty times. @returns the fewest promises, because timers run in the same process. */
async function fewestPromises(workload: WorkloadName): Promise<number> {
  const { server, site } = await createMintmark({ storage: 'memory', algorithm: 'ES256', accessTokens: 'jwt', rows: 0 })
  const lane = laneTo(server)
  const [flow] = await workloads[workload].prepare({ ...site, port: 0 }, [lane])
  // Each lane has 64 tokens: then all are known.
  for (let turn = 0; turn < 100; turn += 1) await flow?.(lane)

  const counts: number[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    let count = 0
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'PROMISE') count += 1
      },
    }).enable()
    await flow?.(lane)
    hook.disable()
    counts.push(count)
  }
  return Math.min(...counts)
}
