import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks until the answer is yes. Patroni rewinds a former primary and Galera copies all data to a node that was away: on two cores with a
 * load of 25, this has taken more than two minutes.
 * @throws Error after the given time.
 */
export async function until(what: string, isSo: () => Promise<boolean>, seconds = 600): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) {
      const [load = 0] = loadavg()
      throw new Error(`After ${seconds} seconds, at a load of ${load.toFixed(0)}, this is not so: ${what}.`)
    }
    await pause(250)
  }
}
