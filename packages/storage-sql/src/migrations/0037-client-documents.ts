import type { Migration } from './migration.ts'

/** Clients that publish their metadata at their identifier, and what users consented to in it. */
export const clientDocuments: Migration = {
  number: 37,
  name: '0037-client-documents',
  statements: ({ text, integer }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN document_digest ${text}`,
    `ALTER TABLE mintmark_clients ADD COLUMN document_read_at ${integer}`,
    `ALTER TABLE mintmark_grants ADD COLUMN client_digest ${text}`,
  ],
}
