import type { KeyRing } from './key-ring.ts'
import type { StoredKeySettings } from './stored-key-settings.ts'

/** A key ring kept in storage, for `rotateKeys`, `dropKey` and `listKeys`. */
export interface StoredKeyRing extends KeyRing {
  readonly settings: StoredKeySettings
  /** Has the next request look at storage anew. */
  reload(): void
}
