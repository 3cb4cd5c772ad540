import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the source files of the packages whose functions were called during the work, sorted, as paths from the
 * repository root.
 */
export async function enteredFiles(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    // Discards the counts from before the work.
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ functions }) => functions.some(({ ranges: [range] }) => (range?.count ?? 0) > 0))
      .flatMap(({ url }) => (url.startsWith('file:') ? [relative(process.cwd(), fileURLToPath(url))] : []))
      .filter((file) => /^packages\/[^/]+\/src\//.test(file))
      .toSorted()
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
