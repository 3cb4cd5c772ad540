import type { Migration } from './migration.ts'

/**
 * Messages to other servers, and how far their producers have read the list of revocations. `due_at` is also the end of a
 * lease, so one index finds the deliveries that nobody has leased and those whose worker died.
 */
export const deliveries: Migration = {
  number: 21,
  name: '0021-deliveries',
  statements: ({ text, integer, json, table, smallRowTable }) => [
    `CREATE TABLE mintmark_deliveries (
  issuer ${text} NOT NULL,
  delivery_id ${text} NOT NULL,
  dedupe_key ${text} NOT NULL,
  channel ${text} NOT NULL,
  recipient ${text} NOT NULL,
  content ${json} NOT NULL,
  state ${text} NOT NULL,
  attempts ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  due_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  kept_until ${integer} NOT NULL,
  lease_token ${text},
  last_failure ${text},
  settled_at ${integer},
  PRIMARY KEY (issuer, delivery_id)
) ${table}`,
    `CREATE UNIQUE INDEX mintmark_deliveries_by_dedupe_key ON mintmark_deliveries (issuer, dedupe_key)`,
    `CREATE INDEX mintmark_deliveries_due ON mintmark_deliveries (issuer, channel, due_at, delivery_id) WHERE state = 'pending'`,
    `CREATE INDEX mintmark_deliveries_by_state ON mintmark_deliveries (issuer, state, delivery_id)`,
    `CREATE INDEX mintmark_deliveries_by_recipient ON mintmark_deliveries (issuer, recipient, state, delivery_id)`,
    `CREATE INDEX mintmark_deliveries_by_end ON mintmark_deliveries (issuer, kept_until)`,

    `CREATE TABLE mintmark_cursors (
  issuer ${text} NOT NULL,
  consumer ${text} NOT NULL,
  position ${integer} NOT NULL,
  read_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, consumer)
) ${smallRowTable}`,
  ],
}
