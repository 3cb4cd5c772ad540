import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A port of 127.0.0.1 that sends the address of the run's PostgreSQL. The first connection starts the server. */
    readonly postgresPort: number
  }
}

/** Provides one PostgreSQL for all worker processes of the run. It starts only when a test needs it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined

  const door = createServer((socket) => {
    server ??= startPostgres()
    server.then(
      ({ url }) => socket.end(url),
      (error: unknown) => socket.end(`failed: ${String(error)}`),
    )
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  project.provide('postgresPort', (door.address() as AddressInfo).port)

  return async () => {
    door.close()
    await (await server)?.stop()
  }
}
