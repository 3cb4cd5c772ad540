import type { Migration } from './migration.ts'

/** Where clients send users after signing out, and where they receive logouts. */
export const logoutAddresses: Migration = {
  number: 20,
  name: '0020-logout-addresses',
  statements: ({ json, flag }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN post_logout_redirect_uris ${json} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE mintmark_clients ADD COLUMN backchannel_logout_uri TEXT`,
    `ALTER TABLE mintmark_clients ADD COLUMN backchannel_logout_session_required ${flag} NOT NULL DEFAULT FALSE`,
    `ALTER TABLE mintmark_clients ADD COLUMN frontchannel_logout_uri TEXT`,
    `ALTER TABLE mintmark_clients ADD COLUMN frontchannel_logout_session_required ${flag} NOT NULL DEFAULT FALSE`,
  ],
}
