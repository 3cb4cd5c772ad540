import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 7523, with RFC 7521 below it, asks of a server that takes `private_key_jwt`. */
export const rfc7523: Standard = {
  name: 'RFC 7523',
  title: 'JWT Client Authentication, as used',
  address: rfc(7523),
  requirements: [
    ['2.1', 'JWTs as grants', notOffered('a grant of one’s own may do that: defineGrant')],
    [
      '2.2',
      'client_assertion_type is the one of JWTs, and client_assertion holds one',
      'ATK-238 another client_assertion_type',
      'ATK-239 two client_assertion values',
      'RFC 7521 §4.2: no client_assertion',
    ],
    [
      '3',
      'iss and sub are the client_id',
      'ATK-229 iss is not sub',
      'RFC 7523 §3: no iss',
      'ATK-229 client_id is not sub',
    ],
    [
      '3',
      'aud names this server, and no assertion for another is taken',
      'ATK-230 no aud',
      'ATK-230 aud is an array with a foreign entry',
      'ATK-230 aud is the token endpoint of another issuer',
    ],
    [
      '3',
      'exp is there and in the future',
      'RFC 7523 §3: no exp',
      'RFC 7523 §3: exp is now',
      'RFC 7523 §3: exp is further away than five and a half minutes',
    ],
    ['3', 'Not before nbf', 'ATK-233 nbf 61 s ahead', 'ATK-232 nbf 8 s ahead'],
    [
      '3',
      'An assertion counts once',
      'RFC 7523 §3: an assertion counts once, wherever it is presented',
      'ATK-235 no jti',
      'RFC 7523 §3: a client with a space in its name does not use up the jti of its neighbour',
    ],
    [
      '3',
      'It is signed by the client',
      "RFC 7523 §3: A cannot be played with B's key",
      'private_key_jwt: forged > ATK-265',
    ],
    [
      '3.2',
      'What fails is invalid_client',
      'RFC 7523 §3: an assertion speaks of its client, to this issuer alone, briefly and once',
    ],
    ['5', 'RS256 is there', 'RFC 7518 §3.1: RS256 is verified', 'RFC 7518 §3.1: ES256 is verified'],
    ['6', 'The client keeps its key to itself', clientsDuty],
  ],
}
