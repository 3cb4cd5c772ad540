import { clientsDuty, departed, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 7009 asks of an authorization server. */
export const rfc7009: Standard = {
  name: 'RFC 7009',
  title: 'Token Revocation',
  address: rfc(7009),
  requirements: [
    [
      '2',
      'Refresh tokens can be revoked',
      'introspection and revocation: common server errors > revoking the refresh token revokes its access tokens (RFC 7009 §2.1)',
      'P revokes its own refresh token (RFC 7009 §2.1)',
    ],
    ['2', 'The address is https', 'refuses to start with http://as.test', hostsTls],
    [
      '2.1',
      'The token comes in a form, by POST',
      'no token (RFC 7009 §2.1)',
      'a JSON body (RFC 7009 §2.1)',
      'rejects GET, and offers no JSONP (RFC 7009 §2.3)',
    ],
    [
      '2.1',
      'The client is authenticated first',
      "A's token without authentication (RFC 7009 §2.1)",
      "A's token with a wrong secret (RFC 7009 §2.1)",
    ],
    [
      '2.1',
      'A token of another client is not revoked',
      "A's refresh token, by B (RFC 7009 §2.1)",
      "A's access token, by B (RFC 7009 §2.1)",
      "A's refresh token, by the public client P",
    ],
    [
      '2.1',
      'A client that would revoke another’s token hears that it may not',
      departed('it reads a 200, as for a token that nobody knows: an error would tell whose it is'),
      "A's refresh token, by B (RFC 7009 §2.1)",
    ],
    [
      '2.1',
      'The revocation counts at once',
      'revoking a refresh token makes its access tokens inactive at once (RFC 7009 §2.1)',
      'an access token that was revoked (RFC 7009 §2.1)',
    ],
    [
      '2.1',
      'A wrong hint does not keep the token from being found',
      'the hint access_token makes no difference (RFC 7009 §2.1)',
      'the hint __proto__ makes no difference (RFC 7009 §2.1)',
    ],
    [
      '2.2',
      'A token that is unknown or revoked already is a 200',
      'an unknown token is 200, a wrong secret 401, and a hint is advice (RFC 7009 §2.2)',
      'revoking a second time gives the same answer (RFC 7009 §2.2)',
    ],
    [
      '2.2.1',
      'Errors are those of RFC 6749 §5.2; an outage is a 503 after which the client asks again',
      'a failed revocation has changed nothing, and a retry completes it (RFC 7009 §2.2.1)',
    ],
    ['2.2.1', 'After a 503 the client takes the token to be alive', clientsDuty],
    [
      '2.3',
      'JSONP',
      notOffered('a page revokes by CORS'),
      'rejects GET, and offers no JSONP (RFC 7009 §2.3)',
      'the page of a public client revokes its tokens (RFC 7009 §2)',
    ],
    [
      '5',
      'Guesses of tokens and of clients are slowed down',
      'counts each of 100 parallel wrong secrets (RFC 6749 §2.3.1)',
      'revocation: answered without effect > a self-made JWT that names the token',
    ],
  ],
}
