import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7636 for an authorization server. */
export const rfc7636: Standard = {
  name: 'RFC 7636',
  title: 'Proof Key for Code Exchange',
  address: rfc(7636),
  requirements: [
    [
      '4.1',
      'A verifier has 43 to 128 unreserved characters, and enough entropy',
      clientsDuty,
      'a verifier of 129 characters uses up the code, so that the right verifier fails afterwards',
    ],
    ['4.2', 'S256 is supported', 'discovery lists only S256', 'accepts the published example (RFC 7636 App. B)'],
    ['4.2', 'A client that can use S256 uses it', clientsDuty],
    [
      '4.3',
      'A challenge without a method means plain',
      'rejects a challenge without a method, which would mean plain (RFC 7636 §4.3)',
      'rejects a missing method',
    ],
    [
      '4.4',
      'The challenge is stored with the code',
      'rejects the verifier of another code of the same client (RFC 7636 §4.6)',
      'a store that loses or changes a field of a code: nothing is redeemed and nothing crashes > codeChallenge',
    ],
    [
      '4.4',
      'The code does not reveal the challenge',
      'codes: a digest is inserted at most once',
      'creates a secret from 256 bits of the random source',
    ],
    [
      '4.4.1',
      'A missing challenge, if required, is invalid_request',
      'requires PKCE from a public client, including by POST (RFC 9700 §2.1.1)',
      'rejects a request without a challenge and a method',
    ],
    [
      '4.4.1',
      'A method that is not supported is invalid_request',
      'the code challenge (RFC 7636 §4.3, §4.4.1) > rejects plain',
    ],
    [
      '4.5',
      'The token request contains the verifier',
      'no verifier uses up the code, so that the right verifier fails afterwards',
    ],
    [
      '4.6',
      'A verifier that does not match is invalid_grant',
      'rejects the verifier … with invalid_grant (RFC 7636 §4.6)',
      'another verifier uses up the code, so that the right verifier fails afterwards',
      'the challenge uses up the code, so that the right verifier fails afterwards',
    ],
    ['7.2', 'plain is not used if S256 is possible', 'rejects plain with the challenge of S256'],
    ['7.2', 'The client does not fall back to plain', clientsDuty],
  ],
}
