import { deviation, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7515 on signing and verifying, as far as compact signatures are used. */
export const rfc7515: Standard = {
  name: 'RFC 7515',
  title: 'JSON Web Signature, as used',
  address: rfc(7515),
  requirements: [
    [
      '2',
      'base64url has no padding, line breaks or other characters',
      'law: no other spelling of the same bytes is a compact JWS',
      'does not make another spelling of itself valid (RFC 7515 §2)',
    ],
    [
      '4',
      'A header with a duplicate name is rejected, or the last value is used',
      'a forged or malformed JWT as access token > is rejected: the header contains alg twice, and the second value is none (RFC 7515 §4)',
    ],
    [
      '4',
      'A header is a JSON object',
      'a forged or malformed JWT as access token > is rejected: the header is an array (RFC 7515 §4)',
    ],
    [
      '4',
      'Unknown header members are ignored, unless crit lists them',
      deviation('in its own tokens this server writes three members, so a header with more was made by another party'),
      'rejects a token whose header has more members than the three this server writes (RFC 7515 §4)',
      'a forged or malformed JWT as access token > is rejected: crit …',
    ],
    [
      '4.1.1',
      'alg is present and expected',
      'rejects alg none, HMAC with the public key, another key and a key in the header (RFC 8725 §3.1)',
    ],
    [
      '4.1.2',
      'Keys in or referenced by a header (jku, jwk, x5u, x5c)',
      notOffered('keys are taken only from the key set'),
      "a forged or malformed JWT as access token > is rejected: the attacker's key is in the header, with the right kid",
      "a forged or malformed JWT as access token > is rejected: the header points to the attacker's key set (RFC 8725 §3.10)",
      'a forged or malformed JWT as access token > is rejected: a self-signed chain in the header',
    ],
    ['4.1.4', 'Without kid, the only key is used', 'no kid, if the client has only one key (RFC 7515 §4.1.4)'],
    [
      '4.1.11',
      'A signature is rejected if a header that crit lists is not understood',
      'a forged or malformed JWT as access token > is rejected: crit …',
      'a forged or malformed JWT at an API > is rejected: crit …',
    ],
    [
      '5.2',
      'A signature is verified in every step',
      'verifies signatures of Web Crypto, and rejects altered ones (RFC 7515 §5.2)',
      'a token that names a client but has an invalid signature allows no origin (RFC 7515 §5.2)',
    ],
    [
      '7.1',
      'The compact serialization has three parts',
      'compact serialization (RFC 7515 §7.1) > law: any three base64url parts are a compact JWS',
      'a forged or malformed JWT as access token > is rejected: four segments',
      'a forged or malformed JWT as access token > is rejected: the flattened JSON serialisation',
    ],
    [
      '8',
      'Keys are fetched over TLS',
      'refuses http://client.test/jwks without a connection (RFC 9700 §4.11)',
      'refuses an issuer over plain http',
    ],
    [
      '10.1',
      'Keys are strong, and each is used with one algorithm',
      'the RSA key has at least 2048 bits (RFC 7518 §3.3)',
      'a forged or malformed JWT as access token > is rejected: alg …, which does not fit the key',
    ],
  ],
}
