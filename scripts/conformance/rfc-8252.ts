import { clientsDuty, rfc, type Standard } from './standard.ts'

/** What RFC 8252 asks of an authorization server. */
export const rfc8252: Standard = {
  name: 'RFC 8252',
  title: 'OAuth 2.0 for Native Apps',
  address: rfc(8252),
  requirements: [
    [
      '7',
      'Private-use schemes, claimed https addresses and loopback addresses can be registered',
      'com.example.app:/cb is registered',
      'https://app.test/cb is registered',
      'http://127.0.0.1/cb is registered',
    ],
    ['7.1', 'A private-use scheme is a domain name in reverse', 'RFC 8252 §7.1 …'],
    [
      '7.3',
      'On loopback any port is accepted',
      'on loopback the port is free, and nothing else (RFC 8252 §7.3)',
      'http://127.0.0.1:51000/cb goes on',
      'http://[::1]/cb is registered',
    ],
    [
      '8.1',
      'PKCE is supported for public native apps',
      'the client P, which is public, redeems with the verifier and not without it (RFC 7636 §4.6)',
    ],
    [
      '8.4',
      'Whole addresses are registered, and any other is refused',
      'com.example.app:/cb2/ is not com.example.app:/cb2',
      'ATK-121',
      'other hosts have no free port (RFC 8252 §7.3)',
    ],
    [
      '8.4',
      'The type of a client is known, and a native app is a public client',
      'a client with a secret is not called from its page (RFC 6749 §2.1)',
      'a public client is not exempt, although its name is on the list (RFC 9700 §2.1.1)',
    ],
    ['8.5', 'A secret that many installations share proves nothing', clientsDuty],
    [
      '8.6',
      'A client that cannot prove who it is is not let in without asking',
      'another program on the device can play a native app (RFC 8252 §8.6)',
      'a public client on loopback could be any program of the device, so it is asked each time (RFC 8252 §8.6)',
    ],
    ['8.12', 'An app asks by a browser of its own right, not by one inside the app', clientsDuty],
  ],
}
