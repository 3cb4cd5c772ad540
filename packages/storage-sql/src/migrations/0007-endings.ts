import { endingTriggers } from './ending-triggers.ts'
import type { Migration } from './migration.ts'

/**
 * What has ended, for those who receive tokens. Of what ended before, an issuer that is there already knows nothing, and says
 * so; one that comes later knows all. Tokens that are revoked by themselves stay where they were.
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

    // Of a revoked token only: what else is claimed is known by its digest.
    `ALTER TABLE mintmark_claims ADD COLUMN value ${text}`,
    `ALTER TABLE mintmark_claims ADD COLUMN claimed_at ${integer}`,

    // First: from here on nobody ends anything until the migration is done, and whoever does then is written.
    ...endingTriggers.flatMap(trigger),
    // A minute more, as the servers' clocks, by which tokens are issued, may be ahead of the database's.
    `INSERT INTO mintmark_ending_positions (issuer, last_position, complete_since)
SELECT DISTINCT issuer, 0, ${now} + 60 FROM mintmark_clients`,
  ],
}
