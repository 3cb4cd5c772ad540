import { createKeyReader } from './key-reader.ts'
import { keyViewAt, type KeyView } from './key-view.ts'
import { rotateInBackground } from './rotate-in-background.ts'
import { parseStoredKeySettings, type StoredKeysOptions } from './stored-key-settings.ts'
import type { StoredKeyRing } from './stored-key-ring.ts'
import { vaultSigners } from './vault-signers.ts'

/**
 * A key ring kept in storage. The first server to need a key makes it; servers that start at the same time agree on one.
 * Keys are read at first use, and again when they were read longer than `schedule.staleness` ago; while storage is down
 * nothing is signed or accepted on an older picture.
 * @throws TypeError at once when an option is wrong; Error at the first signature when the key was sealed with another key.
 */
export function createStoredKeys(options: StoredKeysOptions): StoredKeyRing {
  const settings = parseStoredKeySettings(options)
  const reader = createKeyReader(settings)
  const openSigner = vaultSigners(settings.vault)
  let view: KeyView | undefined

  const look = async (): Promise<KeyView> => {
    const now = settings.clock()
    const records = await reader.read(now)
    if (view?.records === records && view.from <= now && now < view.until) return view
    view = keyViewAt(now, { records, previous: view }, settings)
    rotate(records, now)
    return view
  }

  const ring: StoredKeyRing = {
    settings,
    algorithms: settings.algorithms,
    retirement: settings.schedule.retire,
    reload: () => reader.forget(),
    async signer(algorithm) {
      const key = (await look()).signing.get(algorithm)
      if (key === undefined) throw new TypeError(`The key ring does not sign with ${algorithm}.`)
      return openSigner(key, algorithm)
    },
    publicKeys: async () => (await look()).publicKeys,
  }
  const rotate = rotateInBackground(ring)
  return ring
}
