import type { Migration } from './migration.ts'

/** Clients may have their authorization responses encrypted (JARM §3). */
export const encryptedAuthorizationResponses: Migration = {
  number: 46,
  name: '0046-encrypted-authorization-responses',
  statements: ({ text }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN authorization_encrypted_response_alg ${text}`,
    `ALTER TABLE mintmark_clients ADD COLUMN authorization_encrypted_response_enc ${text}`,
  ],
}
