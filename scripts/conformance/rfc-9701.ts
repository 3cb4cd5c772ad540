import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 9701 asks of an authorization server. */
export const rfc9701: Standard = {
  name: 'RFC 9701',
  title: 'JWT Response for Token Introspection',
  address: rfc(9701),
  requirements: [
    [
      '4',
      'Who wants a JWT says so in Accept, and authenticates',
      'RFC 9701 §5: a signed answer is for its caller, and is no access token',
      'RFC 7662 §2.1: no authentication',
    ],
    [
      '5',
      'typ is token-introspection+jwt; iss, aud, iat and token_introspection are there',
      'RFC 9701 §5: the answer has iss, aud, iat and token_introspection',
    ],
    [
      '5',
      'Of a token that is not active nothing is said but that',
      'RFC 9701 §5: of a token that is not active it says only that',
    ],
    ['5', 'Encryption', notOffered('answers are signed and not encrypted')],
    [
      '6',
      'RS256 unless the caller is registered for another algorithm',
      'RFC 9701 §6: the answer is signed with RS256',
      'RFC 9701 §6: a ring without RS256 signs an introspection answer with its first',
    ],
    [
      '7',
      'introspection_signing_alg_values_supported names what is there',
      'RFC 9700 §2.1.2: nothing is offered that this server refuses',
    ],
    [
      '8.1',
      'The answer is never taken for an access token',
      'RFC 9701 §5: a signed answer is for its caller, and is no access token',
      clientsDuty,
    ],
  ],
}
