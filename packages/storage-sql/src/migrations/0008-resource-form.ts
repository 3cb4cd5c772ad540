import type { Migration } from './migration.ts'

/**
 * Beside the text of what a provider says of an account: the name of the form in which answers show it as it stands. Texts that were
 * written before have none, and are read when they are shown.
 */
export const resourceForm: Migration = {
  number: 8,
  name: '0008-resource-form',
  statements: ({ text }) => [`ALTER TABLE mintmark_users ADD COLUMN resource_form ${text}`],
}
