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
      'RFC 7009 §2.1: revoking the refresh token ends its access tokens',
      'RFC 7009 §2.1: P revokes its own refresh token',
    ],
    ['2', 'The address is https', 'ATK-335 RFC 8414 §2: refuses to start with http://as.test', hostsTls],
    [
      '2.1',
      'The token comes in a form, by POST',
      'ATK-313 no token',
      'RFC 7009 §2.1: a body of JSON',
      'ATK-323 GET is not answered',
    ],
    ['2.1', 'The client is authenticated first', 'ATK-308', "RFC 7009 §2.1: A's token with a wrong secret"],
    [
      '2.1',
      'A token of another client is not revoked',
      "RFC 7009 §2.1: A's refresh token, by B",
      "RFC 7009 §2.1: A's access token, by B",
      "ATK-310 A's refresh token, by the public client P",
    ],
    [
      '2.1',
      'A client that would revoke another’s token hears that it may not',
      departed('it reads a 200, as for a token that nobody knows: an error would tell whose it is'),
      "revocation: answered, and nothing changed > RFC 7009 §2.1: A's refresh token, by B",
    ],
    [
      '2.1',
      'The revocation counts at once',
      'ATK-317 a refresh token: its access tokens are inactive at once',
      'ATK-254 an access token that was revoked',
    ],
    [
      '2.1',
      'A wrong hint does not keep the token from being found',
      'ATK-316 the hint access_token changes nothing',
      'ATK-316 the hint __proto__',
    ],
    [
      '2.2',
      'A token that is unknown or revoked already is a 200',
      'RFC 7009 §2.2: an unknown token is a 200',
      'RFC 7009 §2.2: revoking a second time reads like the first',
    ],
    [
      '2.2.1',
      'Errors are those of RFC 6749 §5.2; an outage is a 503 after which the client asks again',
      'ATK-320 a revocation that failed has changed nothing',
    ],
    ['2.2.1', 'After a 503 the client takes the token to be alive', clientsDuty],
    [
      '2.3',
      'JSONP',
      notOffered('a page revokes by CORS'),
      'ATK-323 GET is not answered, and there is no JSONP',
      'RFC 7009 §2: the page of a public client revokes',
    ],
    [
      '5',
      'Guesses of tokens and of clients are slowed down',
      'ATK-241 100 parallel bad secrets',
      "ATK-311 a JWT of one's own that names the token",
    ],
  ],
}
