import { changeTriggers } from './change-triggers.ts'
import type { Migration } from './migration.ts'

/** Adds webhooks, the changes that are sent to them, and lanes: the deliveries of a lane are sent in order. */
export const changes: Migration = {
  number: 32,
  name: '0032-changes',
  statements: (types) => {
    const { text, integer, json, flag, table, smallRowTable } = types
    return [
      `CREATE TABLE mintmark_changes (
  issuer ${text} NOT NULL,
  change_id ${text} NOT NULL,
  sequence ${integer} NOT NULL,
  position ${integer},
  type ${text} NOT NULL,
  user_id ${text},
  group_id ${text},
  client_id ${text},
  session_id ${text},
  grant_id ${text},
  names ${json} NOT NULL,
  changed_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, change_id)
) ${table}`,
      `CREATE INDEX mintmark_changes_by_position ON mintmark_changes (issuer, position)`,
      `CREATE INDEX mintmark_changes_without_position ON mintmark_changes (issuer, sequence) WHERE position IS NULL`,
      `CREATE INDEX mintmark_changes_by_sequence ON mintmark_changes (sequence)`,
      `CREATE INDEX mintmark_changes_by_time ON mintmark_changes (issuer, changed_at)`,
      ...types.changeNumbers.create,

      `CREATE TABLE mintmark_change_positions (
  issuer ${text} NOT NULL PRIMARY KEY,
  last_position ${integer} NOT NULL
) ${smallRowTable}`,

      `CREATE TABLE mintmark_webhooks (
  issuer ${text} NOT NULL,
  webhook_id ${text} NOT NULL,
  url ${text} NOT NULL,
  types ${json} NOT NULL,
  includes_user ${flag} NOT NULL,
  secrets ${json} NOT NULL,
  starts_after ${integer} NOT NULL,
  replays ${integer} NOT NULL,
  disabled_at ${integer},
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, webhook_id)
) ${smallRowTable}`,

      `ALTER TABLE mintmark_deliveries ADD COLUMN lane ${text}`,
      `ALTER TABLE mintmark_deliveries ADD COLUMN sequence ${integer}`,
      `CREATE INDEX mintmark_deliveries_by_lane ON mintmark_deliveries (issuer, lane, sequence) WHERE state = 'pending' AND lane IS NOT NULL`,

      ...changeTriggers(types).flatMap(types.trigger),
    ]
  },
}
