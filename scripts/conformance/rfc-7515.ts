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
      'law: no other spelling of the same bytes is a compact JWS',
      'does not make another spelling of itself valid (RFC 7515 §2)',
    ],
    [
      '4',
      'Where a header has a name twice it is refused, or the last one counts',
      'a forged or malformed JWT as access token > the header repeats alg, and the last one is none (RFC 7515 §4)',
    ],
    [
      '4',
      'A header is a JSON object',
      'a forged or malformed JWT as access token > the header is an array (RFC 7515 §4)',
    ],
    [
      '4',
      'Header members that are not understood are ignored, unless crit names them',
      departed('of tokens of our own: this server writes three members, and what has more was made by another'),
      'rejects a token whose header has more members than the three this server writes (RFC 7515 §4)',
      'a forged or malformed JWT as access token > crit …',
    ],
    [
      '4.1.1',
      'alg is there, and is one that is expected',
      'rejects alg none, HMAC with the public key, another key and a key in the header (RFC 8725 §3.1)',
    ],
    [
      '4.1.2',
      'Keys that a header names or brings (jku, jwk, x5u, x5c)',
      notOffered('keys come from the key set alone'),
      "a forged or malformed JWT as access token > the attacker's key is in the header, with the right kid",
      "a forged or malformed JWT as access token > the header points to the attacker's key set (RFC 8725 §3.10)",
      'a forged or malformed JWT as access token > a self-signed chain in the header',
    ],
    [
      '4.1.4',
      'Without kid a signature is tried with the one key that there is',
      'no kid, where the client has one key (RFC 7515 §4.1.4)',
    ],
    [
      '4.1.11',
      'What crit names is understood, or the signature is refused',
      'a forged or malformed JWT as access token > crit …',
      'a forged or malformed JWT at an API > crit …',
    ],
    [
      '5.2',
      'A signature is verified in all its steps',
      'verifies signatures of Web Crypto, and rejects altered ones (RFC 7515 §5.2)',
      'a token that names a client but has an invalid signature allows no origin (RFC 7515 §5.2)',
    ],
    [
      '7.1',
      'The compact serialization has three parts',
      'compact serialization (RFC 7515 §7.1) > law: any three base64url parts are a compact JWS',
      'a forged or malformed JWT as access token > four segments',
      'a forged or malformed JWT as access token > the flattened JSON serialisation',
    ],
    [
      '8',
      'TLS, where keys come from elsewhere',
      'does not fetch http://client.test/jwks (RFC 9700 §4.11)',
      'refuses an issuer over plain http',
    ],
    [
      '10.1',
      'Keys are strong, and the algorithm of a key is one',
      'the RSA key has at least 2048 bits (RFC 7518 §3.3)',
      'a forged or malformed JWT as access token > the header says …, which the key does not do',
    ],
  ],
}
