import type { AuthorizationServer } from '@mintmark/core'

/** Delivers everything that is due. Run it every minute, from cron or a scheduled event of Workers. */
export async function deliverScheduled(server: AuthorizationServer): Promise<void> {
  let more = true
  while (more) more = (await server.deliverOnce({ limit: 100, deadline: 20_000 })).more
}
