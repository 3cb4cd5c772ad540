import { clientsDuty, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 6750 asks of a resource server: userinfo, administration, SCIM, and the APIs that `@mintmark/resource-server` guards. */
export const rfc6750: Standard = {
  name: 'RFC 6750',
  title: 'Bearer Token Usage',
  address: rfc(6750),
  requirements: [
    [
      '2',
      'Not more than one way of sending the token in a request',
      'RFC 6750 §2: a token in the header and one in the form',
      'RFC 6750 §3.1: two tokens are 400 invalid_request',
    ],
    [
      '2.1',
      'The Authorization header is supported',
      'OIDC Core §5.3.1: the token may come in the header',
      'RFC 6750 §2.1: Bearer abc',
    ],
    ['2.2', 'A token in a form counts only in one of the right media type', 'ATK-247 a token in a body of type'],
    ['2.2', 'and not with GET', 'RFC 6750 §2.2: the body of a GET is not read'],
    [
      '2.3',
      'A token in the query makes the answer private',
      notOffered('a token in the query is refused'),
      'ATK-245 a good token in the query (OAuth',
      'RFC 9700 §4.3.2: a token in the address is none',
    ],
    [
      '3',
      'Who brings no token that opens the resource gets WWW-Authenticate',
      'RFC 6750 §3.1: without a token there is a bare challenge',
      'RFC 6750 §3.1: without a token it tells how to come back',
    ],
    [
      '3',
      'The scheme is Bearer, with at least one parameter',
      'RFC 6750 §3: the challenge has a parameter also where there is nothing to say',
    ],
    [
      '3',
      'realm, scope, error, error_description and error_uri come once each, in plain ASCII',
      'RFC 6750 §3.1: a token that is not good is 401 invalid_token',
      'refuses an audience that would break out of a challenge',
    ],
    [
      '3.1',
      'A token without the scope is 403 insufficient_scope',
      'ATK-251 a token without openid',
      'RFC 6750 §3.1: 403 insufficient_scope names the scope',
    ],
    [
      '5.2',
      'Nobody makes or changes a token',
      'RFC 8725 §3.1: alg none, HMAC with the public key',
      'a forged or malformed JWT at an API > RFC 9068 §4: typ',
    ],
    [
      '5.2',
      'A token is for one recipient, and the others refuse it',
      'RFC 9068 §4: a token for another resource',
      'RFC 9068 §4: 401 invalid_token for a token of another API',
    ],
    ['5.2', 'TLS between client and resource server', hostsTls],
    [
      '5.3',
      'The client keeps its tokens to itself, checks certificates, and stores none in a cookie that travels in the clear',
      clientsDuty,
    ],
    [
      '5.3',
      'A token lives shortly',
      'RFC 9068 §4: a token lives for its lifetime and not a second longer',
      'the unsafe option lifetimes.accessToken names itself',
    ],
  ],
}
