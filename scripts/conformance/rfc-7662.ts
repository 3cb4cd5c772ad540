import { hostsTls, rfc, type Standard } from './standard.ts'

/** What RFC 7662 asks of an authorization server, and of the resource servers that ask it. */
export const rfc7662: Standard = {
  name: 'RFC 7662',
  title: 'Token Introspection',
  address: rfc(7662),
  requirements: [
    ['2', 'The endpoint is protected by TLS', hostsTls],
    [
      '2.1',
      'The token comes in a form, by POST, and nowhere else',
      'no token (RFC 7662 §2.1)',
      'a token in the query (RFC 7662 §2.1)',
      'rejects GET (RFC 7662 §2.1)',
    ],
    [
      '2.1',
      'Who asks is authenticated',
      'no authentication (RFC 7662 §2.1)',
      'a wrong secret (RFC 7662 §2.1)',
      'the public client P (RFC 7662 §4)',
    ],
    ['2.1', 'A wrong hint does not keep the token from being found', 'do not depend on the hint … (RFC 7662 §2.1)'],
    [
      '2.2',
      'The answer is JSON with a boolean active',
      'foreign, forged, expired and unknown tokens are inactive, without further members (RFC 7662 §2.2, §4)',
    ],
    [
      '2.2',
      'A token that is not active, not known or not for who asks is active: false, and a 200',
      'an unknown token (RFC 7662 §2.2)',
      "A's access token, asked by B (RFC 7662 §2.2)",
    ],
    [
      '2.2',
      'Nothing else is said of a token that is not active',
      'foreign, forged, expired and unknown tokens are inactive, without further members (RFC 7662 §2.2, §4)',
    ],
    ['2.3', 'Who fails to authenticate gets the 401 of RFC 6749 §5.2', 'a wrong secret (RFC 7662 §2.1)'],
    [
      '4',
      'A token that has expired is not active',
      'answers inactive for an expired access token and for a rotated refresh token (RFC 7662 §2.2)',
    ],
    ['4', 'A token that is not valid yet is not active', 'nbf one second ahead (RFC 9068 §4)'],
    ['4', 'A token that was revoked is not active', 'a revoked access token and its family (RFC 7662 §2.2)'],
    [
      '4',
      'The signature of a signed token is verified',
      'the token with another scope, signed with a foreign key (RFC 7662 §4)',
    ],
    [
      '4',
      'A token that is for certain resource servers is active to those alone',
      "A's access token for this server, asked by RS (RFC 7662 §2.2)",
      'a resource server that no longer serves the audience learns nothing (RFC 7662 §4)',
    ],
    [
      '4',
      'A resource server keeps no answer beyond the life of the token',
      'are kept for an active token no longer than it is valid (RFC 7662 §4)',
    ],
    [
      '4',
      'The resource server protects its own credentials, and sends the token in a body',
      'sends its secret to the authorization server only, and the token in the body (RFC 7662 §2.1)',
    ],
    [
      '5',
      'Nothing that is said of a person goes to who has no business with it',
      "contain the token's claims, no internal names and nothing about the user (RFC 7662 §2.2, §4)",
    ],
  ],
}
