import { clientRequests } from '../processes/client-requests.ts'
import { startServerProcess, type ServerProcess } from '../processes/server-processes.ts'
import type { ProcessSite } from '../processes/test-database.ts'
import type { NamedPoint } from './crash-points.ts'
import { operationsOf } from './client-operations.ts'

/**
 * Crashes a server at each of the points in turn.
 * @param port the port of a server over the same database that keeps running.
 * @returns the violations observed after each crash.
 */
export async function crashAt(
  points: readonly NamedPoint[],
  { site, port }: { readonly site: ProcessSite; readonly port: number },
): Promise<readonly { readonly point: NamedPoint; readonly violations: readonly string[] }[]> {
  const operations = operationsOf(clientRequests(site.clients), port)
  const outcomes = []
  // The next server starts while this one dies.
  let starting = start(site, points[0])
  for (const [index, point] of points.entries()) {
    const victim = await starting
    starting = start(site, points[index + 1])
    const operation = await operations[point.operation]()
    const answer = await operation.send(victim.port).catch(() => undefined)
    if (answer !== undefined) {
      await victim.kill()
      outcomes.push({ point, violations: [`The server did not die: it responded with status ${answer.status}`] })
      continue
    }
    await victim.ended
    outcomes.push({ point, violations: await operation.findViolations(point.effect) })
  }
  return outcomes
}

/** Starts a server that dies at the point; does nothing after the last point. */
async function start(site: ProcessSite, point: NamedPoint | undefined): Promise<ServerProcess> {
  if (point === undefined) return { port: 0, pid: 0, ended: Promise.resolve(null), kill: async () => {} }
  return startServerProcess(site.database, { crash: point.crash })
}
