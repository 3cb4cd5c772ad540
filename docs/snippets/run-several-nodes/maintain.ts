import { type StoredKeyRing } from '@mintmark/core'
import { epochSeconds, type OAuthStorage } from '@mintmark/storage-interface'

/** Rotates keys and deletes expired rows. Run it every few minutes, on one node or on all: concurrent runs are safe. */
export async function maintain({
  storage,
  keys,
}: {
  readonly storage: OAuthStorage
  readonly keys: StoredKeyRing
}): Promise<void> {
  await keys.rotate()
  const now = epochSeconds(Date.now() / 1000)
  while (!(await storage.purge.purgeExpired({ now, limit: 1000 })).done);
}

/** Starts the maintenance. A run fails while the database is down: without `catch`, that would end the process. */
export const startMaintenance = (node: Parameters<typeof maintain>[0]): NodeJS.Timeout =>
  setInterval(
    () => void maintain(node).catch((error: unknown) => console.error('Maintenance:', error)),
    300_000,
  ).unref()
