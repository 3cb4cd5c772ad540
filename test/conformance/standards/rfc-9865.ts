import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9865 for a SCIM service provider. */
export const rfc9865: Standard = {
  name: 'RFC 9865',
  title: 'Cursor-Based Pagination of SCIM Resources',
  address: rfc(9865),
  requirements: [
    [
      '2',
      'An empty cursor requests the first page, nextCursor the next; the last page has none',
      'an empty cursor requests the first page, nextCursor the next, and the last page has none (RFC 9865 §2)',
    ],
    [
      '2',
      'Resources that exist throughout the paging are listed',
      'a resource that exists throughout is listed once, whatever is added or removed meanwhile',
      'lists: cursor pages show exactly once each row that is never removed, while others are inserted and removed',
    ],
    ['2', 'A count of 0 returns the total', 'a count of 0 returns the total and no cursor (RFC 9865 §2)'],
    ['2', 'The client treats a cursor as opaque, and keeps filter and order', clientsDuty],
    [
      '2.1',
      'An invalid cursor, or one of another query, is invalidCursor',
      'refuses an altered, truncated or invented cursor, always with the same detail',
      'refuses a cursor of another provider, filter, order or type',
    ],
    ['2.1', 'An expired cursor is expiredCursor', 'refuses a cursor as expired after an hour, and not before'],
    [
      '2.1',
      'A disallowed count is invalidCount',
      'refuses a count of … instead of clamping it',
      'refuses a cursor with a count that differs from the count of the first page',
    ],
    ['2.2', 'Pages keep the sort order', 'pages keep the requested order (RFC 9865 §2.2)'],
    [
      '2.3',
      'The default paging method is published',
      'ServiceProviderConfig lists the supported features (RFC 7643 §5, RFC 9865 §4)',
    ],
    [
      '3',
      'A search by POST supports cursors',
      'a cursor of a query is valid in a search, and with other attributes (RFC 9865 §3)',
    ],
    [
      '4',
      'ServiceProviderConfig has pagination',
      'ServiceProviderConfig lists the supported features (RFC 7643 §5, RFC 9865 §4)',
    ],
    [
      '5',
      'A cursor reveals nothing and cannot be forged',
      'refuses a cursor with a malformed payload, even if its signature is valid:',
      'refuses an altered, truncated or invented cursor, always with the same detail',
    ],
  ],
}
