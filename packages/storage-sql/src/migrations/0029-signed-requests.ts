import type { Migration } from './migration.ts'

/** What clients sign, and what is signed for them. */
export const signedRequests: Migration = {
  number: 29,
  name: '0029-signed-requests',
  statements: ({ text, flag }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN request_object_signing_alg ${text}`,
    `ALTER TABLE mintmark_clients ADD COLUMN require_signed_request_object ${flag} NOT NULL DEFAULT FALSE`,
    `ALTER TABLE mintmark_clients ADD COLUMN authorization_signed_response_alg ${text}`,
    `ALTER TABLE mintmark_clients ADD COLUMN introspection_signed_response_alg ${text}`,
  ],
}
