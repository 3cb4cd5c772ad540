import type { Migration } from './migration.ts'

/**
 * The name of the format in which a stored resource can be sent as it is. Resources that were written before have none,
 * and are parsed when they are sent.
 */
export const resourceForm: Migration = {
  number: 8,
  name: '0008-resource-form',
  statements: ({ text }) => [`ALTER TABLE mintmark_users ADD COLUMN resource_form ${text}`],
}
