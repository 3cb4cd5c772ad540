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
      'a signed answer is for its caller, and is no access token (RFC 9701 §5)',
      'no authentication (RFC 7662 §2.1)',
    ],
    [
      '5',
      'typ is token-introspection+jwt; iss, aud, iat and token_introspection are there',
      'the answer has iss, aud, iat and token_introspection, and nothing that an access token has (RFC 9701 §5)',
    ],
    [
      '5',
      'Of a token that is not active nothing is said but that',
      'of a token that is not active it says only that (RFC 9701 §5)',
    ],
    ['5', 'Encryption', notOffered('answers are signed and not encrypted')],
    [
      '6',
      'RS256 unless the caller is registered for another algorithm',
      'the answer is signed with RS256 (RFC 9701 §6)',
      'a ring without RS256 signs an introspection answer with its first (RFC 9701 §6)',
    ],
    [
      '7',
      'introspection_signing_alg_values_supported names what is there',
      'nothing is offered that this server refuses (RFC 9700 §2.1.2)',
    ],
    [
      '8.1',
      'The answer is never taken for an access token',
      'a signed answer is for its caller, and is no access token (RFC 9701 §5)',
      clientsDuty,
    ],
  ],
}
