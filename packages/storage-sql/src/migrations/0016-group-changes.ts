import type { Migration } from './migration.ts'

/**
 * Changes of many members that were written, and not yet carried out on the rows of the members: at most one of a group.
 * Whichever process next reads or changes the members carries it out.
 */
export const groupChanges: Migration = {
  number: 16,
  name: '0016-group-changes',
  statements: ({ text, json, table }) => [
    `CREATE TABLE mintmark_group_changes (
  issuer ${text} NOT NULL,
  group_id ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  change_id ${text} NOT NULL,
  joining ${json} NOT NULL,
  leaving ${json} NOT NULL,
  PRIMARY KEY (issuer, group_id)
) ${table}`,
  ],
}
