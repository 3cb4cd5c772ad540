import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 9068 asks of an authorization server, and of the resource servers that receive its tokens. */
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
      'RS256 is there for servers and resource servers',
      'a server that signs with … (RFC 7518 §3.1)',
      'stored keys > signs with the published key, in every algorithm (RFC 7518 §3.1)',
    ],
    ['2.1', 'typ is at+jwt', 'typ at+jwt, with iss, exp, aud, sub, client_id, iat and jti (RFC 9068 §2)'],
    [
      '2.2',
      'iss, exp, aud, sub, client_id, iat and jti are there',
      'typ at+jwt, with iss, exp, aud, sub, client_id, iat and jti (RFC 9068 §2)',
    ],
    [
      '2.2.1',
      'What is said of the sign-in stays the same in tokens that a refresh brings',
      'the new access token describes the sign-in as the first one did (RFC 9068 §2.2.1)',
    ],
    [
      '2.2.3',
      'scope is there when it was asked for, and says what is granted',
      'scope is case-sensitive, its order is irrelevant, and the granted scope is returned (RFC 6749 §3.3, §5.1)',
      'a token without scope is enough where no scope is required (RFC 9068 §2.2.3)',
    ],
    [
      '3',
      'With a resource, aud is that resource; without, a default',
      'a token for a resource has only that audience (RFC 9068 §3)',
      'has the default audience and every scope without a resource (RFC 8707 §2)',
    ],
    [
      '3',
      'Each scope means the same wherever the token goes',
      'drops scopes of other resources, and keeps identity scopes (RFC 8707 §2.2)',
    ],
    [
      '4',
      'The resource server refuses another typ',
      'a forged or malformed JWT at an API > rejects typ …, which is not at+jwt (RFC 9068 §4)',
      'rejects an ID token as an access token (RFC 9068 §5)',
    ],
    ['4', 'Encrypted access tokens', notOffered('access tokens are signed, and their readers decrypt nothing')],
    [
      '4',
      'It refuses another iss',
      'refuses an issuer with a slash at its end, which no token has',
      'rejects tokens of another issuer, tokens of another kind and revoked tokens',
    ],
    [
      '4',
      'It refuses an aud that does not name it',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
      'accepts an aud that contains this API among others (RFC 9068 §4)',
    ],
    [
      '4',
      'It verifies the signature with the keys of the server, and takes no none',
      'has its keys by name, each with its one algorithm (RFC 7517 §5)',
      'a forged or malformed JWT at an API > HS256 keyed with',
      'a forged or malformed JWT at an API',
    ],
    [
      '4',
      'It refuses a token that has expired',
      'exp long past (RFC 7519 §4.1.4)',
      'tolerates clocks that differ by ten seconds and no more (RFC 7519 §4.1.4)',
    ],
    ['4', 'What is refused is 401 invalid_token', 'answers 401 invalid_token for an invalid token (RFC 6750 §3.1)'],
    [
      '5',
      'No client takes on the name of a person',
      'refuses a client_id that is the identifier of a user (RFC 9700 §4.15)',
      "a user whose id equals a client_id gets no access token from that client, because it would read as the client's own (RFC 9068 §5)",
    ],
    [
      '5',
      'ID tokens and access tokens are not taken for one another',
      'rejects an access token as a hint (RFC 9068 §5)',
      'an ID token (RFC 9068 §5)',
    ],
    ['6', 'The client does not look into the token', clientsDuty],
  ],
}
