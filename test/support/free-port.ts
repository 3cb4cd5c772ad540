import { createServer, type AddressInfo } from 'node:net'

/** Finds a port of 127.0.0.1 that is free now. Another program may take it before the caller listens on it. */
export const freePort = (): Promise<number> =>
  new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => found(port))
    })
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
