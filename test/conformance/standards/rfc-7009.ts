import { clientsDuty, deviation, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7009 for an authorization server. */
export const rfc7009: Standard = {
  name: 'RFC 7009',
  title: 'Token Revocation',
  address: rfc(7009),
  requirements: [
    [
      '2',
      'Refresh tokens can be revoked',
      'introspection and revocation: common server errors > revoking the refresh token revokes its access tokens (RFC 7009 §2.1)',
      'client P revokes its own refresh token (RFC 7009 §2.1)',
    ],
    ['2', 'The endpoint is https', 'must not be http://as.test', hostsTls],
    [
      '2.1',
      'The token is sent in a form, by POST',
      'a request without a token (RFC 7009 §2.1)',
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
      "A client that revokes another client's token gets an error",
      deviation('it gets 200, as for an unknown token: an error would reveal that the token exists'),
      "A's refresh token, by B (RFC 7009 §2.1)",
    ],
    [
      '2.1',
      'A revocation takes effect at once',
      'revoking a refresh token makes its access tokens inactive at once (RFC 7009 §2.1)',
      'an access token that was revoked (RFC 7009 §2.1)',
    ],
    [
      '2.1',
      'A wrong hint does not prevent the token from being found',
      'the hint access_token makes no difference (RFC 7009 §2.1)',
      'the hint __proto__ makes no difference (RFC 7009 §2.1)',
    ],
    [
      '2.2',
      'An unknown or already revoked token gets 200',
      'revoking an unknown token is 200, a wrong secret is 401, and a wrong hint is ignored (RFC 7009 §2.2)',
      'revoking a second time gives the same response (RFC 7009 §2.2)',
    ],
    [
      '2.2.1',
      'Errors are those of RFC 6749 §5.2; an outage is a 503, and the client can retry',
      'a failed revocation has changed nothing, and a retry completes it (RFC 7009 §2.2.1)',
    ],
    ['2.2.1', 'After a 503 the client assumes that the token is still valid', clientsDuty],
    [
      '2.3',
      'JSONP',
      notOffered('browser clients use CORS'),
      'rejects GET, and offers no JSONP (RFC 7009 §2.3)',
      'the page of a public client revokes its tokens (RFC 7009 §2)',
    ],
    [
      '5',
      'Guessing of tokens and clients is limited',
      'counts each of 100 parallel wrong secrets (RFC 6749 §2.3.1)',
      'revocation: requests that succeed without effect > a forged JWT that names the token',
    ],
  ],
}
