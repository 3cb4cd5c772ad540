import type { AuthorizationServer } from '@mintmark/core'

/** Delivers until SIGTERM, then waits for the attempts that have begun. Call it once in each process. */
export async function deliverUntilStopped(server: AuthorizationServer): Promise<void> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  await server.deliver({ signal: stop.signal })
}
