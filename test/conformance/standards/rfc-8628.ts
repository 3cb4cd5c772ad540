import { clientsDuty, hostsTls, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8628 for an authorization server. */
export const rfc8628: Standard = {
  name: 'RFC 8628',
  title: 'OAuth 2.0 Device Authorization Grant',
  address: rfc(8628),
  requirements: [
    [
      '3.1',
      'A confidential client authenticates, and a public one names itself',
      'of a confidential client is refused without its credentials',
      'a device authorization request (RFC 8628 §3.1) > is refused for an unknown client',
    ],
    [
      '3.1',
      'A parameter without a value counts as absent',
      'treats an empty parameter as absent (RFC 8628 §3.1, §3.2)',
    ],
    [
      '3.1',
      'A parameter appears at most once',
      'a device authorization request (RFC 8628 §3.1) > is refused with a parameter twice',
    ],
    ['3.1', 'Requests use TLS', hostsTls],
    [
      '3.2',
      'The response has device_code, user_code, verification_uri and expires_in',
      'gets tokens for the user who approved its code, and refreshes them',
    ],
    [
      '3.3',
      'The user is told what to do at a short address, and the code is entered there',
      'finds a code with lower case',
      'does not find 0O1I-0O1I, and reports the guess',
    ],
    [
      '3.3',
      'The user authenticates, approves or denies, and is told the outcome',
      'is told that the user denied its request',
      'says in … what the user decided, without a form',
    ],
    [
      '3.3.1',
      'With the code in the address, the page still shows the code',
      'leads to the question whether the device is the user’s',
      'shows the code, the client, the scope values and the place as text',
    ],
    [
      '3.4',
      'A poll names the grant type, the device code and the client',
      'a poll (RFC 8628 §3.5) > is refused without a device code',
      'a poll (RFC 8628 §3.5) > of another client is refused and leaves the code usable',
    ],
    [
      '3.5',
      'authorization_pending, slow_down, access_denied and expired_token say how the request stands',
      'is told that the user denied its request, and how long it has to wait between polls',
      'a poll (RFC 8628 §3.5) > is told for ten minutes that the code has expired',
    ],
    [
      '3.5',
      'slow_down lengthens the interval by five seconds',
      'that is repeated too early is told to slow down once, and is heard when it waits (RFC 8628 §3.5)',
      'early polls lengthen the interval, and a client that waits for it is heard',
    ],
    ['3.5', 'A client waits for the interval', clientsDuty],
    ['4', 'The metadata names the endpoint', 'the option device > is published in discovery (RFC 8628 §4)'],
    [
      '5.1',
      'User codes cannot be guessed: they have enough entropy, and guesses are limited',
      'lets a browser guess five times, and a right code resets nothing (RFC 8628 §5.1)',
      'lets an address guess twenty times, however many browsers it invents',
    ],
    [
      '5.1',
      'User codes of pending requests are unique',
      'a digest and a user code are inserted at most once, and the first record stays',
    ],
    [
      '5.2',
      'Device codes have high entropy, and are bound to the client',
      'a poll (RFC 8628 §3.5) > is refused of an invented device code',
      'a poll (RFC 8628 §3.5) > of another client is refused and leaves the code usable',
    ],
    [
      '5.4',
      'The user is asked to confirm that the device is theirs',
      'leads to the question whether the device is the user’s, even when the user is signed in and has consented before',
    ],
    [
      '5.6',
      'Clients that pretend to be others are limited',
      'is limited for each client, and the limit of one client does not stop another (RFC 8628 §5.6)',
    ],
    [
      '6.1',
      'Case and punctuation of a user code do not matter',
      'finds a code with no dash',
      'finds a code with an en dash',
    ],
    [
      '3.2',
      'A device code may be polled as often as needed until it expires, and is redeemed once',
      'of a code that was redeemed revokes the tokens that were issued for it (RFC 6749 §4.1.2)',
    ],
    [
      '3.1',
      'A request without a scope value is refused, or gets a default',
      'a device authorization request (RFC 8628 §3.1) > is refused without a scope value',
    ],
  ],
}
