import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9068 for an authorization server and the resource servers that receive its tokens. */
export const rfc9068: Standard = {
  name: 'RFC 9068',
  title: 'JWT Profile for Access Tokens',
  address: rfc(9068),
  requirements: [
    [
      '2.1',
      'Access tokens are signed, and not with none',
      'rejects alg none, HMAC with the public key, another key and a key in the header (RFC 8725 §3.1)',
    ],
    [
      '2.1',
      'Servers and resource servers support RS256',
      'a server that signs with … (RFC 7518 §3.1)',
      'stored keys > signs with the published key, in every algorithm (RFC 7518 §3.1)',
    ],
    [
      '2.1',
      'typ is at+jwt',
      'an access token has typ at+jwt, iss, exp, aud, sub, client_id, iat and jti (RFC 9068 §2)',
    ],
    [
      '2.2',
      'iss, exp, aud, sub, client_id, iat and jti are present',
      'an access token has typ at+jwt, iss, exp, aud, sub, client_id, iat and jti (RFC 9068 §2)',
    ],
    [
      '2.2.1',
      'Claims about the sign-in are the same in refreshed tokens',
      'the new access token describes the sign-in as the first one did (RFC 9068 §2.2.1)',
    ],
    [
      '2.2.3',
      'scope is present if it was requested, and contains the granted scope',
      'scope is case-sensitive, its order is irrelevant, and the granted scope is returned (RFC 6749 §3.3, §5.1)',
      'a token without scope is enough where no scope is required (RFC 9068 §2.2.3)',
    ],
    [
      '3',
      'aud is the requested resource, or a default',
      'a token for a resource has only that audience (RFC 9068 §3)',
      'has the default audience and every scope without a resource (RFC 8707 §2)',
    ],
    [
      '3',
      'Each scope is unambiguous for every resource in aud',
      'drops scopes of other resources, and keeps identity scopes (RFC 8707 §2.2)',
    ],
    [
      '4',
      'The resource server rejects another typ',
      'a forged or malformed JWT at an API > rejects typ …, which is not at+jwt (RFC 9068 §4)',
      'rejects an ID token as an access token (RFC 9068 §5)',
    ],
    ['4', 'Encrypted access tokens', notOffered('access tokens are signed, and their readers decrypt nothing')],
    [
      '4',
      'It rejects another iss',
      'refuses an issuer with a slash at the end',
      'rejects tokens of another issuer, tokens of another kind, forged tokens and expired tokens',
    ],
    [
      '4',
      'It rejects an aud that does not contain it',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
      'accepts an aud that contains this API among others (RFC 9068 §4)',
    ],
    [
      '4',
      "It verifies the signature with the server's keys, and rejects none",
      'contains its keys by name, each with its one algorithm (RFC 7517 §5)',
      'a forged or malformed JWT at an API > is rejected: HS256 keyed with',
      'a forged or malformed JWT at an API',
    ],
    [
      '4',
      'It rejects an expired token',
      'exp long past (RFC 7519 §4.1.4)',
      'tolerates clocks that differ by ten seconds and no more (RFC 7519 §4.1.4)',
    ],
    ['4', 'A rejected token is 401 invalid_token', 'answers 401 invalid_token for an invalid token (RFC 6750 §3.1)'],
    [
      '5',
      'A client cannot have the identifier of a user',
      'refuses a client_id that is the identifier of a user (RFC 9700 §4.15)',
      "a user whose id equals a client_id gets no access token from that client, because it would read as the client's own (RFC 9068 §5)",
    ],
    [
      '5',
      'ID tokens and access tokens are not confused',
      'rejects an access token as a hint (RFC 9068 §5)',
      'an ID token (RFC 9068 §5)',
    ],
    ['6', 'The client does not inspect the token', clientsDuty],
  ],
}
