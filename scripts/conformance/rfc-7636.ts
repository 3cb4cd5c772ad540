import { clientsDuty, rfc, type Standard } from './standard.ts'

/** What RFC 7636 asks of an authorization server. */
export const rfc7636: Standard = {
  name: 'RFC 7636',
  title: 'Proof Key for Code Exchange',
  address: rfc(7636),
  requirements: [
    [
      '4.1',
      'A verifier has 43 to 128 unreserved characters, and enough entropy',
      clientsDuty,
      'ATK-140 one of 129 characters burns the code',
    ],
    [
      '4.2',
      'S256 is there',
      'ATK-146 discovery names S256 and nothing else',
      'RFC 7636 App. B: the published example fits',
    ],
    ['4.2', 'A client that can use S256 does', clientsDuty],
    [
      '4.3',
      'A challenge without method is plain',
      'RFC 7636 §4.3: a challenge without a method would be plain, and is refused',
      'ATK-134 no method is refused',
    ],
    [
      '4.4',
      'The challenge is kept with the code',
      'RFC 7636 §4.6: the verifier of another code of the same client does not fit',
      'ATK-145 codeChallenge',
    ],
    [
      '4.4',
      'The code itself does not tell the challenge',
      'codes: a digest is inserted at most once',
      'RFC 6749 §10.10: a secret is 256 bits of the random source',
    ],
    [
      '4.4.1',
      'No challenge, where one is required, is invalid_request',
      'RFC 9700 §2.1.1: a public client cannot do without, by POST either',
      'neither of them is refused',
    ],
    ['4.4.1', 'A method that is not supported is invalid_request', 'ATK-133 plain is refused'],
    ['4.5', 'The token request has the verifier', 'ATK-140 none burns the code'],
    [
      '4.6',
      'A verifier that does not match is invalid_grant',
      'RFC 7636 §4.6: the verifier … is invalid_grant',
      'ATK-140 another one burns the code',
      'ATK-142 the challenge burns the code',
    ],
    ['7.2', 'plain is not used where S256 can be', 'ATK-133 plain with the challenge of S256 is refused'],
    ['7.2', 'The client does not fall back to plain', clientsDuty],
  ],
}
