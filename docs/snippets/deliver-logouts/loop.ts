import type { AuthorizationServer } from '@mintmark/core'

/** Call it once in each process. The process ends after the attempts that have begun. */
export async function deliverUntilStopped(server: AuthorizationServer): Promise<void> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  await server.deliver({ signal: stop.signal })
}
