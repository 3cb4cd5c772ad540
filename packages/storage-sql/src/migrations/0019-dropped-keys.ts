import { tell } from './ending-triggers.ts'
import type { Migration } from './migration.ts'

/** A dropped signing key is written to the list of revocations, in the statement that drops it. */
export const droppedKeys: Migration = {
  number: 19,
  name: '0019-dropped-keys',
  statements: ({ trigger }) =>
    trigger({
      name: 'mintmark_signing_keys_told',
      table: 'mintmark_signing_keys',
      after: 'UPDATE OF dropped_at',
      when: 'OLD.dropped_at IS NULL AND NEW.dropped_at IS NOT NULL',
      statements: tell({ kind: 'key', nameOf: 'NEW.key_id', at: 'NEW.dropped_at' }),
    }),
}
