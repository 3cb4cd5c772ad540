import { clientsDuty, rfc, type Standard } from './standard.ts'

/** What RFC 9865 asks of a SCIM service provider. */
export const rfc9865: Standard = {
  name: 'RFC 9865',
  title: 'Cursor-Based Pagination of SCIM Resources',
  address: rfc(9865),
  requirements: [
    [
      '2',
      'An empty cursor asks for the first page; nextCursor leads on, and the last page has none',
      'RFC 9865 §2: an empty cursor is the first page; nextCursor leads on, and the last page has none',
    ],
    [
      '2',
      'Whoever is there during the walk is seen',
      'ATK-419: whoever is there during the whole walk is seen once',
      'lists: cursor pages show everybody who is there all the time once',
    ],
    ['2', 'A count of 0 tells the total', 'RFC 9865 §2: a count of 0 tells the total, and ends the walk'],
    ['2', 'The client takes a cursor for opaque, and keeps filter and order', clientsDuty],
    [
      '2.1',
      'A cursor that is none, or of another query, is invalidCursor',
      'ATK-418, K-45 > altered, cut, of no one: refused in the same words',
      'ATK-418, K-45 > of another provider, filter, order or type',
    ],
    ['2.1', 'A cursor that is too old is expiredCursor', 'ATK-418, K-45 > expired: after an hour, and not before'],
    [
      '2.1',
      'A count that is not allowed is invalidCount',
      'ATK-418, K-45 > a count of … is not cut to size, as it is by index',
      'ATK-418, K-45 > with another count than that of the first page',
    ],
    ['2.2', 'An order stays the same through the pages', 'RFC 9865 §2.2: pages keep the order that was asked for'],
    ['2.3', 'Which way of paging is the default is told', 'K-43 (RFC 7643 §5, RFC 9865 §4)'],
    ['3', 'A search by POST takes cursors too', 'RFC 9865 §3: a cursor from a query goes on in a search'],
    ['4', 'ServiceProviderConfig has pagination', 'K-43 (RFC 7643 §5, RFC 9865 §4)'],
    [
      '5',
      'A cursor tells nothing, and cannot be made up',
      'ATK-418, K-45 > made up and signed by whoever holds the secret',
      'ATK-418, K-45 > altered, cut, of no one',
    ],
  ],
}
