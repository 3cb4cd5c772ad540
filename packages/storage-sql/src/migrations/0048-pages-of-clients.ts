import type { Migration } from './migration.ts'

/** Clients may have pages and a logo, for the consent page (RFC 7591 §2). */
export const pagesOfClients: Migration = {
  number: 48,
  name: '0048-pages-of-clients',
  statements: ({ text }) =>
    ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri'].map(
      (name) => `ALTER TABLE mintmark_clients ADD COLUMN ${name} ${text}`,
    ),
}
