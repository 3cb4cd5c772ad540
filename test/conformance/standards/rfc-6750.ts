import { clientsDuty, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 6750 for a resource server: userinfo, administration, SCIM, and the APIs that `@mintmark/resource-server` guards. */
export const rfc6750: Standard = {
  name: 'RFC 6750',
  title: 'Bearer Token Usage',
  address: rfc(6750),
  requirements: [
    [
      '2',
      'A request sends the token in only one way',
      'rejects a token in the header and another in the form (RFC 6750 §2)',
      'is 400 invalid_request for two tokens (RFC 6750 §3.1)',
    ],
    [
      '2.1',
      'The Authorization header is supported',
      'the token may be in the header of a GET or POST, or in the body of a POST (OIDC Core §5.3.1)',
      'is read from Bearer abc',
    ],
    [
      '2.2',
      'A token in a form is read only if the media type is right',
      'does not read a token from a body of type … (RFC 6750 §2.2)',
    ],
    ['2.2', 'A token in the body of a GET is not read', 'does not read the body of a GET (RFC 6750 §2.2)'],
    [
      '2.3',
      'A response to a token in the query is private',
      notOffered('a token in the query is refused'),
      'a valid token in the query (OAuth 2.1 §5.1)',
      'does not read a token from the URL (RFC 9700 §4.3.2)',
    ],
    [
      '3',
      'A request without a valid token gets WWW-Authenticate',
      'userinfo: rejected requests > without a token the challenge has no error (RFC 6750 §3.1)',
      'an API on … > answers a request without a token with a challenge that has no error (RFC 6750 §3.1)',
    ],
    ['3', 'The scheme is Bearer, with at least one parameter', 'always has a parameter in the challenge (RFC 6750 §3)'],
    [
      '3',
      'realm, scope, error, error_description and error_uri appear once each, in plain ASCII',
      'is 401 invalid_token for an invalid token',
      'refuses an audience with a quotation mark',
    ],
    [
      '3.1',
      'A token without the scope is 403 insufficient_scope',
      'a token without openid (RFC 6750 §3.1)',
      'answers 403 insufficient_scope and names the required scope (RFC 6750 §3.1)',
    ],
    [
      '5.2',
      'Tokens cannot be forged or modified',
      'rejects alg none, HMAC with the public key, another key and a key in the header (RFC 8725 §3.1)',
      'a forged or malformed JWT at an API > rejects typ …, which is not at+jwt (RFC 9068 §4)',
    ],
    [
      '5.2',
      'A token is for one recipient, and others reject it',
      'a token for another resource (RFC 9068 §4)',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
    ],
    ['5.2', 'TLS between client and resource server', hostsTls],
    [
      '5.3',
      'The client protects its tokens, validates certificates, and stores no token in a cookie that is sent in clear text',
      clientsDuty,
    ],
    [
      '5.3',
      'Tokens are short-lived',
      'a token expires exactly at the end of its lifetime (RFC 9068 §4)',
      'names the unsafe option lifetimes.accessToken',
    ],
  ],
}
