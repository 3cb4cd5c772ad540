import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9449 for an authorization server and for a resource server. */
export const rfc9449: Standard = {
  name: 'RFC 9449',
  title: 'OAuth 2.0 Demonstrating Proof of Possession (DPoP)',
  address: rfc(9449),
  requirements: [
    ['4.1', 'A client sends a proof with each request', clientsDuty],
    [
      '4.3',
      'There is one proof',
      'is refused when the header contains two proofs (RFC 9449 §4.3)',
      'refuses two proofs',
    ],
    ['4.3', 'It is a well-formed JWT', 'is refused when the header is … (RFC 9449 §4.3)'],
    [
      '4.3',
      'It has all required claims',
      'is refused if it has no jti (RFC 9449 §4.3)',
      'is refused if it has no htm (RFC 9449 §4.3)',
      'is refused if it has no iat (RFC 9449 §4.3)',
    ],
    ['4.3', 'Its typ is dpop+jwt', 'is refused if it has no type', 'is refused if it has the type of an access token'],
    [
      '4.3',
      'Its algorithm is asymmetric and accepted',
      'is refused if it has the algorithm none',
      'is refused if it has a symmetric key in its header',
    ],
    [
      '4.3',
      'Its signature verifies with the key in its header',
      'is refused if it has no signature (RFC 9449 §4.3)',
      'refuses a proof that another key has signed',
    ],
    ['4.3', 'The key in its header is public', 'is refused if it has the private key in its header'],
    ['4.3', 'htm is the method', 'is refused if it has another method', 'is refused if it has a method in lower case'],
    [
      '4.3',
      'htu is the URL, without query and fragment, after normalization',
      'is refused if it has htu …',
      'accepts a proof with an address with scheme and host in capitals, a port, a query and a fragment',
      'must contain the address with the path (RFC 9449 §4.3)',
    ],
    [
      '4.3',
      'The nonce is one that the server has issued',
      'the nonces of DPoP proofs > are refused when the server did not issue them: … (RFC 9449 §8)',
    ],
    [
      '4.3',
      'iat is recent',
      'is refused if it has an iat 61 seconds ago (RFC 9449 §4.3)',
      'is refused if it has an iat 11 seconds ahead (RFC 9449 §4.3)',
    ],
    [
      '4.3',
      'With an access token, ath is its hash, and the key is the one that the token is bound to',
      'is refused with a proof with the ath of another token (RFC 9449 §4.3)',
      'is refused with the proof of another key (RFC 9449 §7.1)',
      'refuses a proof with the ath of another token',
    ],
    [
      '5',
      'The access token is bound to the key of the proof, and its type is DPoP',
      'gets a token that is bound to the key of the proof (RFC 9449 §5, §6.1)',
    ],
    [
      '5',
      'The refresh token of a public client is bound to its key',
      'is refused with another key or without one, and stays usable with its own (RFC 9449 §5)',
    ],
    [
      '5',
      'The refresh token of a confidential client is not bound',
      'is not bound: each access token is bound to the key of its request (RFC 9449 §5)',
    ],
    [
      '5.2',
      'A client that is registered for bound tokens gets no others',
      'gets no token without a proof, and its code stays usable (RFC 9449 §5.2)',
    ],
    ['6', 'A resource server can find the key', 'has its key and type in the introspection response (RFC 9449 §6.2)'],
    [
      '7.1',
      'A bound token is sent with the scheme DPoP and a proof',
      'admits a bound token with a proof and the scheme DPoP (RFC 9449 §7.1)',
      'refuses a bound token without a proof (RFC 9449 §4.3, §7.2)',
    ],
    ['7.1', 'A challenge names the scheme', 'offers both schemes to a request without a token (RFC 9449 §7.1)'],
    ['7.2', 'A bound token is not accepted as a bearer token', 'refuses a bound token as a bearer token'],
    [
      '8',
      'A request without a nonce that is required is answered with use_dpop_nonce and a nonce',
      'are requested before the assertion and the code are used up, so that the same ones can be sent again (RFC 9449 §8)',
      'repeats its request with the nonce, and gets a bound token (RFC 9449 §5, §8)',
    ],
    ['8', 'Pages of other origins can read the nonce', 'can be sent by a page of its client, which can read the nonce'],
    [
      '8',
      'Nonces cannot be predicted',
      'the nonces of DPoP proofs > are refused when the server did not issue them: … (RFC 9449 §8)',
    ],
    ['8.2', 'New nonces are supplied in time', 'are renewed while they are still accepted, and refused after that'],
    [
      '9',
      'A resource server can require a nonce',
      'is refused with 401 and a nonce when the proof has no nonce (RFC 9449 §9)',
    ],
    [
      '10',
      'A code that is bound by dpop_jkt is redeemed with that key only',
      'is neither redeemed nor used up with another key or without one (RFC 9449 §10)',
    ],
    [
      '10.1',
      'A proof of a pushed request binds the code, and must match dpop_jkt',
      'binds the code to its key (RFC 9449 §10.1)',
      'is refused when its dpop_jkt belongs to another key (RFC 9449 §10.1)',
    ],
    [
      '11.1',
      'A proof is accepted once',
      'is accepted once when it is sent fifty times concurrently (RFC 9449 §11.1)',
      'accepts exactly one of 20 concurrent requests with the same proof (RFC 9449 §11.1)',
    ],
  ],
}
