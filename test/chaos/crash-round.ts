import { clientRequests } from '../processes/client-requests.ts'
import { startServerProcess, type ServerProcess } from '../processes/server-processes.ts'
import type { Stage } from '../processes/test-database.ts'
import type { NamedPoint } from './crash-points.ts'
import { deedsOf } from './client-operations.ts'

/**
 * Crashes a server at each of the points in turn.
 * @param port a server over the same database that keeps running.
 * @returns the violations observed after each crash.
 */
export async function crashAt(
  points: readonly NamedPoint[],
  { stage, port }: { readonly stage: Stage; readonly port: number },
): Promise<readonly { readonly point: NamedPoint; readonly violations: readonly string[] }[]> {
  const deeds = deedsOf(clientRequests(stage.clients), port)
  const outcomes = []
  // The next server starts while this one dies.
  let starting = start(stage, points[0])
  for (const [index, point] of points.entries()) {
    const victim = await starting
    starting = start(stage, points[index + 1])
    const deed = await deeds[point.deed]()
    const answer = await deed.perform(victim.port).catch(() => undefined)
    if (answer !== undefined) {
      await victim.kill()
      outcomes.push({ point, violations: [`The server did not die: it answered ${answer.status}`] })
      continue
    }
    await victim.ended
    outcomes.push({ point, violations: await deed.examine(point.effect) })
  }
  return outcomes
}

/** A server that dies at the point; none after the last point. */
async function start(stage: Stage, point: NamedPoint | undefined): Promise<ServerProcess> {
  if (point === undefined) return { port: 0, ended: Promise.resolve(null), kill: async () => {} }
  return startServerProcess(stage.database, point.crash)
}
