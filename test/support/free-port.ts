import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Finds a port of 127.0.0.1 that is free now. Linux gives ports above 32,767 to connections, which tests open by the thousand, so this
 * one is below: only a caller of this function can take it before the caller listens on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/**
 * Starts a program on a port that is free. If another program takes the port, or one that `start` has chosen, in between, it starts
 * again with other ports.
 */
export async function onFreePort<Started>(start: (port: number) => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error
    }
  }
}
