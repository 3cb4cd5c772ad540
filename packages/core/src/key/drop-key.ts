import { keyId, type RevokeOutcome } from '@mintmark/storage-interface'

import { ensureSigningKeys } from './ensure-signing-keys.ts'
import type { StoredKeyRing } from './stored-key-ring.ts'

/**
 * Drops a key in an emergency: it signs no more, is not published, and what it signed is refused. The announced key takes over
 * at once, or a new one does. On this ring it holds from the next request on; every other process knows after
 * `schedule.staleness` at the latest. APIs that check signatures by themselves keep their copy of `/jwks` for as long as it
 * may be old, 300 seconds.
 * @returns `ended` for whoever dropped it, `unchanged` when it was dropped before, `absent` when there is no such key.
 * @throws StorageUnavailableError, and whatever the vault throws when a new key is made; the key is dropped even so, and
 *   calling it again, or the next request of any server, makes the new one.
 */
export async function dropKey(kid: string, keys: StoredKeyRing): Promise<RevokeOutcome> {
  const { settings } = keys
  const now = settings.clock()
  const dropped = await settings.storage.signingKeys.drop(keyId(kid), now)
  keys.reload()
  await ensureSigningKeys(now, settings)
  keys.reload()
  return dropped
}
