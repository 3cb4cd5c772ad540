import type { SqlEngine } from '../../dialect.ts'

/**
 * Messages to other servers, how far their producers have read the list of revocations, and changes for webhooks.
 *
 * `due_at` is also the end of a lease, so one index finds the deliveries that nobody has leased and those whose worker died.
 * The deliveries of a lane are sent in order.
 */
export const deliveriesTables = (types: SqlEngine['types']): readonly string[] => [
  ...deliveries(types),
  ...changes(types),
  ...webhooks(types),
]

const deliveries = ({
  text,
  key,
  longKey,
  integer,
  json,
  table,
  smallRowTable,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_deliveries (
  issuer ${key} NOT NULL,
  delivery_id ${key} NOT NULL,
  dedupe_key ${longKey} NOT NULL,
  channel ${key} NOT NULL,
  recipient ${longKey} NOT NULL,
  content ${json} NOT NULL,
  state ${key} NOT NULL,
  attempts ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  due_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  kept_until ${integer} NOT NULL,
  lease_token ${text},
  last_failure ${text},
  settled_at ${integer},
  lane ${longKey},
  sequence ${integer},
  PRIMARY KEY (issuer, delivery_id)
) ${table}`,
  `CREATE UNIQUE INDEX mintmark_deliveries_by_dedupe_key ON mintmark_deliveries (issuer, dedupe_key)`,
  partialIndex({
    name: 'mintmark_deliveries_due',
    table: 'mintmark_deliveries',
    columns: ['issuer', 'channel', 'due_at', 'delivery_id'],
    where: `state = 'pending'`,
  }),
  `CREATE INDEX mintmark_deliveries_by_state ON mintmark_deliveries (issuer, state, delivery_id)`,
  `CREATE INDEX mintmark_deliveries_by_recipient ON mintmark_deliveries (issuer, recipient, state, delivery_id)`,
  `CREATE INDEX mintmark_deliveries_by_end ON mintmark_deliveries (issuer, kept_until)`,
  partialIndex({
    name: 'mintmark_deliveries_by_lane',
    table: 'mintmark_deliveries',
    columns: ['issuer', 'channel', 'state', 'lane', 'sequence'],
    where: `state = 'pending'`,
  }),

  `CREATE TABLE mintmark_cursors (
  issuer ${key} NOT NULL,
  consumer ${key} NOT NULL,
  position ${integer} NOT NULL,
  read_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, consumer)
) ${smallRowTable}`,
]

const changes = ({
  text,
  key,
  integer,
  json,
  table,
  smallRowTable,
  changeNumbers,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_changes (
  issuer ${key} NOT NULL,
  change_id ${key} NOT NULL,
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
  partialIndex({
    name: 'mintmark_changes_without_position',
    table: 'mintmark_changes',
    columns: ['issuer', 'sequence'],
    where: 'position IS NULL',
  }),
  `CREATE INDEX mintmark_changes_by_sequence ON mintmark_changes (sequence)`,
  `CREATE INDEX mintmark_changes_by_time ON mintmark_changes (issuer, changed_at)`,

  ...changeNumbers.create,

  `CREATE TABLE mintmark_change_positions (
  issuer ${key} NOT NULL PRIMARY KEY,
  last_position ${integer} NOT NULL
) ${smallRowTable}`,
]

const webhooks = ({ text, key, integer, flag, json, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_webhooks (
  issuer ${key} NOT NULL,
  webhook_id ${key} NOT NULL,
  url ${text} NOT NULL,
  types ${json} NOT NULL,
  includes_user ${flag} NOT NULL,
  secrets ${json} NOT NULL,
  starts_after ${integer} NOT NULL,
  replays ${integer} NOT NULL,
  stream ${json},
  target ${json},
  disabled_at ${integer},
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, webhook_id)
) ${smallRowTable}`,
]
