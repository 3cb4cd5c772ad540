import { hostsTls, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7662 for an authorization server and the resource servers that ask it. */
export const rfc7662: Standard = {
  name: 'RFC 7662',
  title: 'Token Introspection',
  address: rfc(7662),
  requirements: [
    ['2', 'The endpoint is protected by TLS', hostsTls],
    [
      '2.1',
      'The token is sent in a form, by POST, and nowhere else',
      'a request without a token (RFC 7662 §2.1)',
      'a token in the query (RFC 7662 §2.1)',
      'rejects GET (RFC 7662 §2.1)',
    ],
    [
      '2.1',
      'The caller is authenticated',
      'no authentication (RFC 7662 §2.1)',
      'a wrong secret (RFC 7662 §2.1)',
      'the public client P (RFC 7662 §4)',
    ],
    ['2.1', 'A wrong hint does not prevent the token from being found', 'do not depend on the hint … (RFC 7662 §2.1)'],
    [
      '2.2',
      'The response is JSON with a boolean active',
      'foreign, forged, expired and unknown tokens are inactive, without further members (RFC 7662 §2.2, §4)',
    ],
    [
      '2.2',
      'An inactive, unknown or foreign token gets 200 with active: false',
      'an unknown token (RFC 7662 §2.2)',
      "A's access token, introspected by B (RFC 7662 §2.2, §4)",
    ],
    [
      '2.2',
      'The response for an inactive token has no other member',
      'foreign, forged, expired and unknown tokens are inactive, without further members (RFC 7662 §2.2, §4)',
    ],
    ['2.3', 'Failed authentication gets the 401 of RFC 6749 §5.2', 'a wrong secret (RFC 7662 §2.1)'],
    [
      '4',
      'A token that has expired is not active',
      'answers inactive for an expired access token and for a rotated refresh token (RFC 7662 §2.2)',
    ],
    ['4', 'A token that is not valid yet is not active', 'nbf one second ahead (RFC 9068 §4)'],
    ['4', 'A token that was revoked is not active', 'the tokens of a revoked family (RFC 7662 §2.2)'],
    [
      '4',
      'The signature of a signed token is verified',
      'the token with another scope, signed with a foreign key (RFC 7662 §4)',
    ],
    [
      '4',
      'A token for certain resource servers is active only for them',
      "A's access token for this server, introspected by RS (RFC 7662 §2.2, §4)",
      'answers inactive to a resource server that no longer serves the audience (RFC 7662 §4)',
    ],
    [
      '4',
      "A resource server does not cache a response beyond the token's expiry",
      'keeps the response for an active token only until the token expires (RFC 7662 §4)',
    ],
    [
      '4',
      'The resource server protects its credentials and sends the token in the body',
      'sends its secret only to the authorization server, and the token in the body (RFC 7662 §2.1)',
    ],
    [
      '5',
      'Responses disclose no personal data to unauthorized parties',
      "contain the token's claims, no internal names and nothing about the user (RFC 7662 §2.2, §4)",
    ],
  ],
}
