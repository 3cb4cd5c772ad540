import { createServer, type AddressInfo } from 'node:net'

/** Finds a port of 127.0.0.1 that is free now. Another program may take it before the caller listens on it. */
export const freePort = (): Promise<number> =>
  new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => found(port))
    })
  })
