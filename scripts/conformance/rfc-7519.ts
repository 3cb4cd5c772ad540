import { departed, rfc, type Standard } from './standard.ts'

/** What RFC 7519 asks of who makes and reads tokens, as far as it is used. */
export const rfc7519: Standard = {
  name: 'RFC 7519',
  title: 'JSON Web Token, as used',
  address: rfc(7519),
  requirements: [
    [
      '4',
      'Where a claim is there twice the token is refused, or the last one counts',
      'RFC 7519 §4: the payload has iss twice, and the last one is another',
    ],
    [
      '4',
      'Claims that are not understood are ignored',
      'RFC 7519 §4: a claim that this server never wrote is ignored',
      'RFC 7519 §4: a claim that nobody knows',
    ],
    [
      '4.1.2',
      'sub is unique, and compared with its case',
      'ATK-278 sub in other case',
      'OIDC Core §2: sub is at most 255 ASCII characters',
    ],
    [
      '4.1.3',
      'Who is not in aud refuses the token',
      'ATK-230 aud of another server',
      'ATK-275 an aud without this server opens no userinfo',
    ],
    [
      '4.1.4',
      'A token is not honoured at or after exp',
      'RFC 7519 §4.1.4: says nothing of the time, which is looked at each time',
      'ATK-253 a token that expires now',
      'RFC 7523 §3: exp is now',
    ],
    [
      '4.1.4',
      'exp, nbf and iat are numbers',
      'RFC 7519 §4.1.4: exp is text',
      'ATK-277 nbf is text',
      'RFC 7519 §4.1.6: iat is text',
    ],
    ['4.1.5', 'A token is not honoured before nbf', 'ATK-277 nbf in an hour', 'ATK-253 a token that is not valid yet'],
    [
      '4.1.7',
      'jti does not come twice',
      'claims: of 16 claims at once exactly one is fresh',
      'RFC 7523 §3: of 20 presentations at once exactly one is accepted',
    ],
    [
      '5.1',
      'typ tells kinds apart',
      'RFC 8725 §3.11: what was signed as at+jwt is no assertion',
      'RFC 8725 §3.11: another JWT that this server signed is no ID token',
    ],
    [
      '7.2',
      'A token is refused when any step of reading it fails',
      'a forged or malformed JWT as id_token_hint > ATK-280 the payload is',
      'a forged or malformed JWT at an API > ATK-281',
    ],
    [
      '8',
      'HS256 and none are implemented',
      departed('RFC 8725 §3.1, §3.2: an algorithm that is not expected is not there to be chosen'),
      'RFC 7518 §3.1: HS256 keyed with the empty secret',
      'RFC 8725 §3.1: alg none with a signature',
    ],
  ],
}
