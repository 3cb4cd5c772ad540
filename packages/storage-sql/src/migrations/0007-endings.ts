import { endingTriggers } from './ending-triggers.ts'
import type { Migration } from './migration.ts'

/**
 * The list of revocations, for resource servers. An issuer that exists already has no list of earlier revocations, and
 * says so; a later one has a complete list. Tokens that were revoked by themselves stay in their table.
 */
export const endings: Migration = {
  number: 7,
  name: '0007-endings',
  statements: ({ text, integer, smallRowTable, now, trigger }) => [
    `CREATE TABLE mintmark_ending_positions (
  issuer ${text} NOT NULL,
  last_position ${integer} NOT NULL,
  complete_since ${integer} NOT NULL,
  PRIMARY KEY (issuer)
) ${smallRowTable}`,

    `CREATE TABLE mintmark_endings (
  issuer ${text} NOT NULL,
  position ${integer} NOT NULL,
  kind ${text} NOT NULL,
  name ${text} NOT NULL,
  generation ${integer},
  ended_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, position)
) ${smallRowTable}`,
    `CREATE INDEX mintmark_endings_by_time ON mintmark_endings (issuer, ended_at, position)`,

    // For revoked tokens only: other used values are known by their digest.
    `ALTER TABLE mintmark_claims ADD COLUMN value ${text}`,
    `ALTER TABLE mintmark_claims ADD COLUMN claimed_at ${integer}`,

    // First, because they keep other writers out until the migration is done, and record later revocations.
    ...endingTriggers.flatMap(trigger),
    // A minute more, because the clocks of the servers, which issue the tokens, may be ahead of the database's.
    `INSERT INTO mintmark_ending_positions (issuer, last_position, complete_since)
SELECT DISTINCT issuer, 0, ${now} + 60 FROM mintmark_clients`,
  ],
}
