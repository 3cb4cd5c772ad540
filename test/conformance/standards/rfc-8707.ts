import { rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8707 for an authorization server. */
export const rfc8707: Standard = {
  name: 'RFC 8707',
  title: 'Resource Indicators',
  address: rfc(8707),
  requirements: [
    [
      '2',
      'A resource is an absolute URI without a fragment',
      'once the client and redirect URI are known, an error is returned to the client, with state and iss (RFC 6749 §4.1.2.1) > a resource with a fragment',
      'a relative resource',
      'resources are absolute URIs without a fragment, may repeat, and the token request may only narrow them (RFC 8707 §2)',
    ],
    [
      '2',
      'Several can be requested',
      'rejects two resources when one is unknown (RFC 8707 §2)',
      'has all audiences, the shortest lifetime',
    ],
    [
      '2',
      'An unknown, malformed or disallowed one is invalid_target',
      'an unknown resource (RFC 8707 §2)',
      'M may not request another resource (RFC 8707 §2)',
    ],
    [
      '2',
      'A resource for which none of the requested scope values is defined is invalid_target',
      'is refused before the user signs in: scope values of one of two APIs (RFC 8707 §2)',
      'gives a machine no token: an additional API (RFC 8707 §2)',
    ],
    ['2.1', 'Errors of the authorization request are returned by redirect', 'an unknown resource (RFC 8707 §2)'],
    [
      '2.2',
      'The token request can name only granted resources',
      'rejects resource=https://api.test, which was not granted, and leaves the code redeemable',
      'a resource that was not granted is refused (RFC 8707 §2.2)',
    ],
    [
      '2.2',
      'The access token is for the requested resources',
      'a token for a resource has only that audience (RFC 9068 §3)',
      'drops scopes of other resources',
    ],
    [
      '3',
      'A token for one resource is rejected by others',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
    ],
  ],
}
