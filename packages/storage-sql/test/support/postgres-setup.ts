import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startPostgres, type PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of 127.0.0.1 that tells the address of the run's PostgreSQL, and starts it for the first who asks. */
    readonly postgresDoor: number
  }
}

/** One PostgreSQL for the whole run, for all worker processes; none when nobody asks. */
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
  project.provide('postgresDoor', (door.address() as AddressInfo).port)

  return async () => {
    door.close()
    await (await server)?.stop()
  }
}
