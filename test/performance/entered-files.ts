import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The source files of our packages that had a function called during the work, sorted, from the root of the repository. */
export async function enteredFiles(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    // Discards what was counted before.
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
