import { Session, type Profiler } from 'node:inspector'

/**
 * How many calls of functions in this repository the work makes: a measure of work that is the same on every machine, however
 * busy. V8 does not inline while it counts, so the number is exact.
 */
export function functionCalls(act: () => unknown): number {
  const counter = startCounter()
  try {
    act()
  } finally {
    counter.stop()
  }
  return counter.calls()
}

/** The same for asynchronous work. Nothing else may run meanwhile. */
export async function functionCallsAsync(act: () => Promise<unknown>): Promise<number> {
  const counter = startCounter()
  try {
    await act()
  } finally {
    counter.stop()
  }
  return counter.calls()
}

function startCounter() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let scripts: readonly Profiler.ScriptCoverage[] = []
  return {
    stop(): void {
      session.post('Profiler.takePreciseCoverage', (_, { result }) => (scripts = result))
      session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
    calls: (): number =>
      scripts
        .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
        .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
        .reduce((sum, count) => sum + count, 0),
  }
}
