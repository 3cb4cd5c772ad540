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
      'a signed answer is addressed to its caller and is not an access token (RFC 9701 §5)',
      'no authentication (RFC 7662 §2.1)',
    ],
    [
      '5',
      'typ is token-introspection+jwt; iss, aud, iat and token_introspection are there',
      'the response has iss, aud, iat and token_introspection, and no member of an access token (RFC 9701 §5)',
    ],
    [
      '5',
      'Of a token that is not active nothing is said but that',
      'for an inactive token the response contains nothing else (RFC 9701 §5)',
    ],
    ['5', 'Encryption', notOffered('answers are signed and not encrypted')],
    [
      '6',
      'RS256 unless the caller is registered for another algorithm',
      'the response is signed with RS256 (RFC 9701 §6)',
      'a key ring without RS256 signs an introspection response with its first algorithm (RFC 9701 §6)',
    ],
    [
      '7',
      'introspection_signing_alg_values_supported names what is there',
      'lists nothing that this server rejects (RFC 9700 §2.1.2)',
    ],
    [
      '8.1',
      'The answer is never taken for an access token',
      'a signed answer is addressed to its caller and is not an access token (RFC 9701 §5)',
      clientsDuty,
    ],
  ],
}
