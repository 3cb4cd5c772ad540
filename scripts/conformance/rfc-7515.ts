import { departed, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 7515 asks of who signs and verifies, as far as compact signatures are used. */
export const rfc7515: Standard = {
  name: 'RFC 7515',
  title: 'JSON Web Signature, as used',
  address: rfc(7515),
  requirements: [
    [
      '2',
      'base64url without padding, line breaks and other characters',
      'law: no other spelling of the same bytes is one',
      'RFC 7515 §2: does not vouch for another spelling of itself',
    ],
    [
      '4',
      'Where a header has a name twice it is refused, or the last one counts',
      'RFC 7515 §4: the header has alg twice, and the last one is none',
    ],
    ['4', 'A header is a JSON object', 'RFC 7515 §4: the header is an array'],
    [
      '4',
      'Header members that are not understood are ignored, unless crit names them',
      departed('of tokens of our own: this server writes three members, and what has more was made by another'),
      'RFC 7515 §4: this server writes three members into a header',
      'ATK-272 crit',
    ],
    [
      '4.1.1',
      'alg is there, and is one that is expected',
      'RFC 8725 §3.1: alg none, HMAC with the public key, another key and a key in the header are refused',
    ],
    [
      '4.1.2',
      'Keys that a header names or brings (jku, jwk, x5u, x5c)',
      notOffered('keys come from the key set alone'),
      "ATK-266 the attacker's key is in the header, beside the right kid",
      "RFC 8725 §3.10: the header points to the attacker's key set",
      'ATK-268',
    ],
    [
      '4.1.4',
      'Without kid a signature is tried with the one key that there is',
      'RFC 7515 §4.1.4: no kid, where the client has one key',
    ],
    [
      '4.1.11',
      'What crit names is understood, or the signature is refused',
      'a forged or malformed JWT as access token > ATK-272 crit',
      'a forged or malformed JWT at an API > ATK-272 crit',
    ],
    [
      '5.2',
      'A signature is verified in all its steps',
      'RFC 7515 §5.2: verifies what Web Crypto signed, and nothing else',
      'RFC 7515 §5.2: a token that names a client and has another signature lets nobody in',
    ],
    [
      '7.1',
      'The compact serialization has three parts',
      'RFC 7515 §7.1: the compact serialization > law: any three parts in base64url are one',
      'ATK-281 four segments',
      'ATK-281 the flattened JSON serialisation',
    ],
    [
      '8',
      'TLS, where keys come from elsewhere',
      'ATK-523 RFC 9700 §4.11: http://client.test/jwks is not fetched',
      'refuses an issuer over plain http',
    ],
    [
      '10.1',
      'Keys are strong, and the algorithm of a key is one',
      'RFC 7518 §3.3: the RSA key has at least 2048 bits',
      'ATK-263',
    ],
  ],
}
