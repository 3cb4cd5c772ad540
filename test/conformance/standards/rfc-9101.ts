import { notOffered, rfc, type Standard } from './standard.ts'

const byReference = notOffered('the server would fetch a URL that anyone chooses. Clients push their requests instead')

/** The requirements of RFC 9101 for an authorization server. */
export const rfc9101: Standard = {
  name: 'RFC 9101',
  title: 'The OAuth 2.0 Authorization Framework: JWT-Secured Authorization Request (JAR)',
  address: rfc(9101),
  requirements: [
    ['4', 'A request object is signed', 'alg none', 'HS256 with a public string as the key'],
    [
      '4',
      'A request object does not contain request or request_uri',
      'a request parameter inside',
      'a request_uri parameter inside',
    ],
    ['4', 'A request object contains all parameters of the request', 'no redirect URI inside (RFC 9101 §6.3)'],
    [
      '4',
      'iss is the client and aud is the server',
      'it does not prove the redirect URI (RFC 9101 §6) > another iss',
      'it does not prove the redirect URI (RFC 9101 §6) > another aud',
    ],
    [
      '5',
      'client_id is the same inside and outside the request object',
      'another client_id inside',
      'no client_id inside',
    ],
    ['5.2', 'A request object by reference', byReference, 'a request object by reference is refused without a fetch'],
    [
      '6.1',
      'An encrypted request object',
      notOffered('requests go over TLS, and are pushed when others must not see them'),
      'a JWE (RFC 9101 §10.5)',
    ],
    [
      '6.2',
      'The signature is verified with the client’s key and a registered algorithm',
      "another client's key",
      'a client that is registered for PS256 is refused with ES256',
    ],
    [
      '6.3',
      'Only the parameters inside the request object are used',
      'and parameters outside of it are ignored, even a state that it does not contain (RFC 9101 §6.3)',
    ],
    [
      '6.3',
      'The request is validated like any other',
      'an unregistered redirect URI inside, although a registered one is outside (RFC 9101 §6.3)',
      'errors found after the signature is verified go to the redirect URI in the request object (RFC 9101 §6) > an unknown prompt',
    ],
    [
      '7',
      'A request object that is not valid is refused with invalid_request_object',
      'it does not prove the redirect URI (RFC 9101 §6) > padding',
    ],
    ['10.2', 'The request is authenticated', 'a URL of keys in its header', 'a key in its own header'],
    ['10.4', 'The server does not fetch any URL that it is given', 'is refused without a fetch: http://127.0.0.1/'],
    [
      '10.5',
      'An unsigned request of a client that must sign its requests is refused',
      'a client that must sign its requests is refused without a request object',
    ],
    [
      '10.8',
      'A JWT of another kind is not accepted as a request object',
      'it does not prove the redirect URI (RFC 9101 §6) > typ … (RFC 8725 §3.11)',
      'a subject',
    ],
  ],
}
