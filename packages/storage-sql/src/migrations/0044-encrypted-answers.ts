import type { Migration } from './migration.ts'

/** Clients may have their ID tokens, userinfo and introspection responses encrypted. */
export const encryptedAnswers: Migration = {
  number: 44,
  name: '0044-encrypted-answers',
  statements: ({ text }) =>
    ['id_token', 'userinfo', 'introspection'].flatMap((answer) => [
      `ALTER TABLE mintmark_clients ADD COLUMN ${answer}_encrypted_response_alg ${text}`,
      `ALTER TABLE mintmark_clients ADD COLUMN ${answer}_encrypted_response_enc ${text}`,
    ]),
}
