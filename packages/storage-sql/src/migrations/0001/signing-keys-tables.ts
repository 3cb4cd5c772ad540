import type { SqlEngine } from '../../dialect.ts'

/** Signing keys, and the list of revocations for resource servers. */
export const signingKeysTables = ({
  text,
  key,
  integer,
  json,
  table,
  smallRowTable,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_signing_keys (
  issuer ${key} NOT NULL,
  key_id ${key} NOT NULL,
  algorithm ${key} NOT NULL,
  ordinal ${integer} NOT NULL,
  public_jwk ${json} NOT NULL,
  vault_entry ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  signs_from ${integer} NOT NULL DEFAULT 0,
  dropped_at ${integer},
  row_mac ${text},
  PRIMARY KEY (issuer, key_id)
) ${table}`,
  `CREATE UNIQUE INDEX mintmark_signing_keys_by_ordinal ON mintmark_signing_keys (issuer, algorithm, ordinal)`,

  `CREATE TABLE mintmark_revocation_positions (
  issuer ${key} NOT NULL,
  last_position ${integer} NOT NULL,
  complete_since ${integer} NOT NULL,
  PRIMARY KEY (issuer)
) ${smallRowTable}`,

  `CREATE TABLE mintmark_revocations (
  issuer ${key} NOT NULL,
  position ${integer} NOT NULL,
  kind ${text} NOT NULL,
  name ${text} NOT NULL,
  generation ${integer},
  at ${integer} NOT NULL,
  PRIMARY KEY (issuer, position)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_revocations_by_time ON mintmark_revocations (issuer, at, position)`,
]
