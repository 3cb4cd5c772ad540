// The load driver. It is a separate process, so that its cost is not counted as the server's. `driver-process.ts`
// starts it.
import type { Site } from '../site.ts'
import { openLane, type Lane } from './lane.ts'
import { workloads, type WorkloadName } from './workloads.ts'
import { requireValue, type Flow } from './workload.ts'

/** An order to the driver, which responds with a `DriverReport` of the same number. */
export type DriverOrder = { readonly number: number } & (
  | {
      readonly kind: 'open'
      readonly target: string
      readonly workload: WorkloadName
      readonly site: Site
      readonly connections: number
    }
  | { readonly kind: 'run'; readonly target: string; readonly milliseconds: number }
  | { readonly kind: 'close' }
)

/** The number of completed flows, or an error. */
export type DriverReport = { readonly number: number } & ({ readonly flows: number } | { readonly failure: string })

interface Load {
  readonly lanes: readonly Lane[]
  readonly flows: readonly Flow[]
}

const loads = new Map<string, Load>()

process.on('message', (order: DriverOrder) => {
  void execute(order).then(
    (flows) => report({ number: order.number, flows }),
    (error: unknown) => report({ number: order.number, failure: String(error) }),
  )
})

const report = (message: DriverReport): void => void process.send?.(message)

async function execute(order: DriverOrder): Promise<number> {
  if (order.kind === 'open') return open(order)
  if (order.kind === 'close') return close()
  const { lanes, flows } = loads.get(order.target) ?? { lanes: [], flows: [] }
  const deadline = performance.now() + order.milliseconds
  stayAwakeUntil(deadline)
  const counts = await Promise.all(
    flows.map(async (flow, index) => runUntil(deadline, flow, requireValue(lanes[index]))),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Keeps this process from sleeping. The kernel would count waking it as CPU time of the server that sends a response: up to
 * 50 us for each, and more for a slow server, whose responses arrive one by one.
 */
function stayAwakeUntil(deadline: number): void {
  if (performance.now() < deadline) setImmediate(stayAwakeUntil, deadline)
}

async function open({ target, workload, site, connections }: Extract<DriverOrder, { kind: 'open' }>): Promise<number> {
  const lanes = await Promise.all(Array.from({ length: connections }, async () => openLane(site.port)))
  loads.set(target, { lanes, flows: await workloads[workload].prepare(site, lanes) })
  return 0
}

async function runUntil(deadline: number, flow: Flow, lane: Lane): Promise<number> {
  let count = 0
  while (performance.now() < deadline) {
    await flow(lane)
    count += 1
  }
  return count
}

function close(): number {
  for (const { lanes } of loads.values()) for (const lane of lanes) lane.close()
  loads.clear()
  return 0
}
