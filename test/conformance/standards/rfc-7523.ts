import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7523, with RFC 7521 below it, for a server that takes `private_key_jwt`. */
export const rfc7523: Standard = {
  name: 'RFC 7523',
  title: 'JWT Client Authentication, as used',
  address: rfc(7523),
  requirements: [
    ['2.1', 'JWTs as grants', notOffered('a host can add one with defineGrant')],
    [
      '2.2',
      'client_assertion_type is the one for JWTs, and client_assertion is one JWT',
      'another client_assertion_type (RFC 7521 §4.2)',
      'two client_assertion values (RFC 6749 §3.2)',
      'private_key_jwt at … > is rejected: no client_assertion',
    ],
    [
      '3',
      'iss and sub are the client_id',
      'iss differs from sub (RFC 7523 §3)',
      'no iss (RFC 7523 §3)',
      'client_id differs from sub (RFC 7521 §4.2)',
    ],
    [
      '3',
      'aud identifies this server, and assertions for other servers are rejected',
      'no aud (RFC 7523 §3)',
      'aud is an array with a foreign entry (RFC 7523 §3)',
      'aud is the token endpoint of another issuer (RFC 7523 §3)',
    ],
    [
      '3',
      'exp is present and in the future',
      'no exp (RFC 7523 §3)',
      'exp is now (RFC 7523 §3)',
      'exp is more than five and a half minutes ahead (RFC 7523 §3)',
    ],
    ['3', 'An assertion is rejected before nbf', 'nbf 61 s ahead (RFC 7523 §3)', 'nbf 8 s ahead (RFC 7523 §3)'],
    [
      '3',
      'An assertion is accepted once',
      'accepts an assertion only once across all endpoints (RFC 7523 §3)',
      'no jti (OIDC Core §9)',
      'the jti "C 1" of client "B" and the jti "1" of client "B C" are different (RFC 7523 §3)',
    ],
    [
      '3',
      'An assertion is signed by the client',
      "rejects an assertion for A signed with B's key (RFC 7523 §3)",
      'private_key_jwt: a forged assertion',
    ],
    [
      '3.2',
      'A failure is invalid_client',
      'an assertion is for its client and this issuer only, short-lived and single-use (RFC 7523 §3)',
    ],
    ['5', 'RS256 is supported', 'verifies RS256 (RFC 7518 §3.1)', 'verifies ES256 (RFC 7518 §3.1)'],
    ['6', 'The client protects its key', clientsDuty],
  ],
}
