import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9701 for an authorization server. */
export const rfc9701: Standard = {
  name: 'RFC 9701',
  title: 'JWT Response for Token Introspection',
  address: rfc(9701),
  requirements: [
    [
      '4',
      'A caller that wants a JWT sends Accept and authenticates',
      'a signed answer is addressed to its caller and is not an access token (RFC 9701 §5)',
      'no authentication (RFC 7662 §2.1)',
    ],
    [
      '5',
      'typ is token-introspection+jwt; iss, aud, iat and token_introspection are present',
      'the response has iss, aud, iat and token_introspection, and no member of an access token (RFC 9701 §5)',
    ],
    [
      '5',
      'The response for an inactive token has only active: false',
      'for an inactive token, token_introspection contains only active: false (RFC 9701 §5)',
    ],
    ['5', 'Encryption', 'gets introspection responses that are signed, then encrypted (RFC 9701 §5)'],
    [
      '6',
      'RS256 is used unless the caller is registered for another algorithm',
      'the response is signed with RS256 (RFC 9701 §6)',
      'a key ring without RS256 signs an introspection response with its first algorithm (RFC 9701 §6)',
    ],
    [
      '7',
      'introspection_signing_alg_values_supported lists the supported algorithms',
      'lists nothing that this server rejects (RFC 9700 §2.1.2)',
    ],
    [
      '8.1',
      'The response cannot be used as an access token',
      'a signed answer is addressed to its caller and is not an access token (RFC 9701 §5)',
      clientsDuty,
    ],
  ],
}
