import { clientsDuty, hostsTls, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7592 on the endpoint that `@mintmark/registration` adds. */
export const rfc7592: Standard = {
  name: 'RFC 7592',
  title: 'OAuth 2.0 Dynamic Client Registration Management Protocol',
  address: rfc(7592),
  requirements: [
    ['2', 'The endpoint uses TLS', hostsTls],
    [
      '2',
      'A request without a valid registration access token is refused with 401',
      'is refused with 401 before its body is read: a wrong token',
    ],
    [
      '2.1',
      'The token of a client that does not exist is refused, and so is the token of another client',
      'cannot use its token for another client, nor the initial access token for itself',
    ],
    ['2.1', 'A read returns the registration', 'reads its registration without its secret (RFC 7592 §2.1)'],
    [
      '2.2',
      'An update has the client_id, the same as the one that was issued',
      'gets an error for another client_id, and nothing changes (RFC 7592 §2.2)',
      'gets an error for a request without client_id, and nothing changes (RFC 7592 §2.2)',
    ],
    [
      '2.2',
      'An update sets nothing that the server has chosen',
      'gets an error for a token of its choice, and nothing changes (RFC 7592 §2.2)',
      'gets an error for an expiry of its choice, and nothing changes (RFC 7592 §2.2)',
    ],
    [
      '2.2',
      'A client_secret in an update is the current one',
      'gets an error for a wrong client_secret, and nothing changes (RFC 7592 §2.2)',
    ],
    [
      '2.2',
      'An update replaces all metadata',
      'replaces its metadata: omitted members get their defaults (RFC 7592 §2.2)',
    ],
    [
      '2.3',
      'A removal is answered with 204 and ends the client, its secret and its tokens',
      'deletes itself, and its token and secret stop working (RFC 7592 §2.3)',
    ],
    [
      '3',
      'Responses have registration_client_uri and registration_access_token',
      'reads its registration without its secret (RFC 7592 §2.1)',
    ],
    ['3', 'The client uses the registration_client_uri unchanged', clientsDuty],
  ],
}
