import { deviation, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7519 on making and reading tokens, as far as it is used. */
export const rfc7519: Standard = {
  name: 'RFC 7519',
  title: 'JSON Web Token, as used',
  address: rfc(7519),
  requirements: [
    [
      '4',
      'A token with a duplicate claim is rejected, or the last value is used',
      'a forged or malformed JWT as access token > is rejected: the payload contains iss twice, and the second value differs (RFC 7519 §4)',
    ],
    [
      '4',
      'Unknown claims are ignored',
      'ignores a claim that this server does not define (RFC 7519 §4)',
      'an unknown claim (RFC 7519 §4)',
    ],
    [
      '4.1.2',
      'sub is unique and case-sensitive',
      'sub in another case (RFC 7519 §4.1.2)',
      'sub is at most 255 ASCII characters and the same in every token and response (OIDC Core §2)',
    ],
    [
      '4.1.3',
      'A recipient that is not in aud rejects the token',
      'aud of another server (RFC 7523 §3)',
      'userinfo rejects a token whose aud does not contain this server (RFC 9068 §4)',
    ],
    [
      '4.1.4',
      'A token is rejected at and after exp',
      'is checked for expiry each time (RFC 7519 §4.1.4)',
      'a token that expires now (RFC 9068 §4)',
      'exp is now (RFC 7523 §3)',
    ],
    [
      '4.1.4',
      'exp, nbf and iat are numbers',
      'exp is a string (RFC 7519 §4.1.4)',
      'iat is a string (RFC 9068 §2.2)',
      'iat is a string (RFC 7519 §4.1.6)',
    ],
    [
      '4.1.5',
      'A token is rejected before nbf',
      'nbf one hour ahead (RFC 7519 §4.1.5)',
      'a token that is not valid yet (RFC 7519 §4.1.5)',
    ],
    [
      '4.1.7',
      'A jti is accepted once',
      'replays: of 16 concurrent uses exactly one is fresh',
      'accepts exactly one of 20 concurrent presentations (RFC 7523 §3)',
    ],
    [
      '5.1',
      'typ distinguishes kinds of tokens',
      'rejects a JWT of the type at+jwt (RFC 8725 §3.11)',
      'another JWT that this server signed is not an ID token (RFC 8725 §3.11)',
    ],
    [
      '7.2',
      'A token is rejected if any step of its validation fails',
      'a forged or malformed JWT as id_token_hint > is rejected: the payload is',
      'a forged or malformed JWT at an API',
    ],
    [
      '8',
      'HS256 and none are implemented',
      deviation('RFC 8725 §3.1 and §3.2: algorithms that are not needed are not implemented'),
      'HS256 keyed with the empty secret of a client without one (RFC 7518 §3.1)',
      'a forged or malformed JWT as access token > is rejected: alg none with a signature (RFC 8725 §3.1)',
    ],
  ],
}
