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
      'a token in the header and one in the form (RFC 6750 §2)',
      'RFC 6750 §3.1: two tokens are 400 invalid_request',
    ],
    [
      '2.1',
      'The Authorization header is supported',
      'the token may come in the header of a GET or a POST, or in the body of a POST (OIDC Core §5.3.1)',
      'RFC 6750 §2.1: Bearer abc',
    ],
    [
      '2.2',
      'A token in a form counts only in one of the right media type',
      'a token in a body of type … is none (RFC 6750 §2.2)',
    ],
    ['2.2', 'and not with GET', 'the body of a GET is not read (RFC 6750 §2.2)'],
    [
      '2.3',
      'A token in the query makes the answer private',
      notOffered('a token in the query is refused'),
      'a good token in the query (OAuth 2.1 §5.1)',
      'a token in the address is none (RFC 9700 §4.3.2)',
    ],
    [
      '3',
      'Who brings no token that opens the resource gets WWW-Authenticate',
      'without a token there is a bare challenge (RFC 6750 §3.1)',
      'without a token it tells how to come back, and of no error (RFC 6750 §3.1)',
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
      'a token without openid (RFC 6750 §3.1)',
      '403 insufficient_scope names the scope that is needed (RFC 6750 §3.1)',
    ],
    [
      '5.2',
      'Nobody makes or changes a token',
      'alg none, HMAC with the public key, another key and a key in the header are refused (RFC 8725 §3.1)',
      'a forged or malformed JWT at an API > typ … is not at+jwt (RFC 9068 §4)',
    ],
    [
      '5.2',
      'A token is for one recipient, and the others refuse it',
      'a token for another resource (RFC 9068 §4)',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
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
      'a token lives for its lifetime and not a second longer (RFC 9068 §4)',
      'the unsafe option lifetimes.accessToken names itself',
    ],
  ],
}
