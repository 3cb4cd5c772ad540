import type { Migration } from './migration.ts'

/** Clients may authenticate by a certificate, and have their access tokens bound to it. */
export const clientCertificates: Migration = {
  number: 40,
  name: '0040-client-certificates',
  statements: ({ flag, text }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN tls_client_certificate_bound_access_tokens ${flag} NOT NULL DEFAULT FALSE`,
    ...['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'].map(
      (name) => `ALTER TABLE mintmark_clients ADD COLUMN tls_client_auth_${name} ${text}`,
    ),
  ],
}
