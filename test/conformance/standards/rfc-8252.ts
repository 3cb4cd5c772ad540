import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8252 for an authorization server. */
export const rfc8252: Standard = {
  name: 'RFC 8252',
  title: 'OAuth 2.0 for Native Apps',
  address: rfc(8252),
  requirements: [
    [
      '7',
      'Private-use schemes, claimed https URLs and loopback URLs can be registered',
      'registers com.example.app:/cb',
      'the registration of a redirect URI (RFC 7591 §3.2.2) > registers https://app.test/cb',
      'registers http://127.0.0.1/cb',
    ],
    ['7.1', 'A private-use scheme is a reversed domain name', 'RFC 8252 §7.1 …'],
    [
      '7.3',
      'On loopback any port is accepted',
      'on loopback only the port may differ (RFC 8252 §7.3)',
      'accepts http://127.0.0.1:51000/cb: only the port differs',
      'registers http://[::1]/cb',
    ],
    [
      '8.1',
      'PKCE is supported for public native apps',
      'the client P (public) redeems with the verifier and not without it (RFC 7636 §4.6)',
    ],
    [
      '8.4',
      'Complete redirect URIs are registered, and any other is rejected',
      'com.example.app:/cb2/ does not match com.example.app:/cb2',
      'client N, registered for http://127.0.0.1/cb (RFC 8252 §7.3)',
      'only loopback hosts may have any port (RFC 8252 §7.3)',
    ],
    [
      '8.4',
      'The client type is recorded, and a native app is a public client',
      'a confidential client has no allowed origins (RFC 6749 §2.1)',
      'needs PKCE nevertheless if it is public (RFC 9700 §2.1.1)',
    ],
    ['8.5', 'A secret shared by many installations is not proof of identity', clientsDuty],
    [
      '8.6',
      'A client that cannot prove its identity is not authorized without consent',
      'another program on the device can impersonate a native app (RFC 8252 §8.6)',
      'asks every time for a public client on loopback, which could be any program on the device (RFC 8252 §8.6)',
    ],
    ['8.12', 'An app uses an external user agent, not an embedded one', clientsDuty],
  ],
}
