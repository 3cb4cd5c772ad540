import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startMariadb, type MariadbServer } from './mariadb-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A port of 127.0.0.1 that sends the port of the run's MariaDB. The first connection starts the server. */
    readonly mariadbPort: number
  }
}

/** Provides one MariaDB for all worker processes of the run. It starts only when a test needs it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<MariadbServer> | undefined

  const door = createServer((socket) => {
    server ??= startMariadb()
    server.then(
      ({ port }) => socket.end(`port ${port}`),
      (error: unknown) => socket.end(`failed: ${String(error)}`),
    )
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  project.provide('mariadbPort', (door.address() as AddressInfo).port)

  return async () => {
    door.close()
    await (await server)?.stop()
  }
}
