import type { JsonObject } from '@mintmark/storage-interface'

import { bulkLimits } from '../bulk/bulk-limits.ts'
import { listLimits } from '../list/list-limits.ts'

/**
 * What this server can do, as `/ServiceProviderConfig` shows it (RFC 7643 §5, RFC 9865 §4), without `meta`.
 * @param offered what depends on the host: whether it takes passwords.
 */
export const serviceProviderConfig = ({ passwords }: { readonly passwords: boolean }): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: bulkLimits.maxOperations, maxPayloadSize: bulkLimits.maxPayloadSize },
  filter: { supported: true, maxResults: listLimits.maxCount },
  changePassword: { supported: passwords },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: listLimits.defaultCount,
    maxPageSize: listLimits.maxCount,
    cursorTimeout: listLimits.cursorLifetime,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description:
        'The Secret Token of this identity provider, or an access token with the scope scim, as Authorization: Bearer.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
})
