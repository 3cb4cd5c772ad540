import { setTimeout as pause } from 'node:timers/promises'

/** Asks until the answer is yes. @throws Error after the given time. */
export async function until(what: string, isSo: () => Promise<boolean>, seconds = 120): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`After ${seconds} seconds this is not so: ${what}.`)
    await pause(250)
  }
}
