import { clientsDuty, hostsTls, notOffered, outside, type Standard } from './standard.ts'

/** The requirements of CIBA Core 1.0 for an OpenID Provider in the modes poll and ping. */
export const openidCiba: Standard = {
  name: 'CIBA Core',
  title: 'OpenID Connect Client-Initiated Backchannel Authentication Flow Core 1.0',
  address: 'https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html',
  requirements: [
    [
      '4',
      'The metadata names the endpoint and the delivery modes',
      'the option ciba > is published in discovery (CIBA Core 1.0 §4)',
      'lists only the mode poll, and refuses requests of clients that wait for notifications',
    ],
    [
      '4',
      'A client in the mode ping registers an https address for notifications',
      'refuses a client with the mode ping without an address',
      'is not called at an address inside of the network',
    ],
    [
      '5',
      'The mode push',
      notOffered(
        'a notification with tokens would send credentials to an address; poll and ping keep them at the token endpoint',
      ),
    ],
    ['6.1', 'Requests use TLS', hostsTls],
    [
      '7.1',
      'The client authenticates',
      'is refused without credentials, with wrong ones, and for a client without the grant type',
      'is refused for a public client, however it came into storage',
    ],
    ['7.1', 'scope contains openid', 'is refused without openid, stores nothing and asks nobody'],
    [
      '7.1',
      'client_notification_token is required in the mode ping, is a bearer token, and has 128 to 8,192 bits',
      'a client_notification_token (CIBA Core 1.0 §7.1) > is refused when it is missing',
      'a client_notification_token (CIBA Core 1.0 §7.1) > is refused when it has less than 128 bits',
      'a client_notification_token (CIBA Core 1.0 §7.1) > is accepted with 1024 characters',
    ],
    [
      '7.1',
      'There is exactly one hint',
      'is refused without a hint, stores nothing and asks nobody',
      'is refused with two hints, stores nothing and asks nobody',
    ],
    [
      '7.1',
      'A hint of any kind identifies the user, and is validated',
      'is refused about a user who does not exist, stores nothing and asks nobody',
      'is refused for an expired login_hint_token, and only for a token',
      'is refused when its id_token_hint is forged',
      'names the user by an ID token that it got before',
    ],
    [
      '7.1',
      'A binding message that cannot be shown is refused',
      'is refused with a long message, stores nothing and asks nobody',
      'is refused with hidden text, stores nothing and asks nobody',
    ],
    [
      '7.1',
      'requested_expiry is a positive integer',
      'is refused with an expiry of 0, stores nothing and asks nobody',
      'keeps messages in any script, and caps the expiry',
    ],
    [
      '7.1',
      'user_code is checked for users who have one',
      'a code that only the user knows (CIBA Core 1.0 §7.1) > protects the user when it is missing',
      'a code that only the user knows (CIBA Core 1.0 §7.1) > protects the user when it is wrong',
    ],
    [
      '7.1.1',
      'A signed request is a JWT with aud, iss, exp, iat, nbf and jti; all parameters are in it',
      'is refused without jti',
      'is refused for another server',
      'is required of a client that is registered for it, whose parameters are in it alone',
    ],
    [
      '7.1.1',
      'It is signed with the registered asymmetric algorithm',
      'is refused without a signature, with another algorithm, of another type, and when it is altered',
    ],
    [
      '7.1.1',
      'requested_expiry in it may be a number or a string',
      'signs its request, whose expiry may be a number or a string (CIBA Core 1.0 §7.1.1)',
    ],
    [
      '7.2',
      'The request is validated before the user is asked',
      'a backchannel authentication request (CIBA Core 1.0 §7.1) > is refused for an unknown resource, stores nothing and asks nobody',
    ],
    [
      '7.2',
      'Only the user whom the hint names can approve',
      'counts only of the user whom the client named (CIBA Core 1.0 §7.2)',
    ],
    [
      '7.3',
      'auth_req_id has at least 128 bits; expires_in says how long it is valid, and interval how often to poll',
      'gets tokens after the user approved its request, and refreshes them',
      'stores no auth_req_id',
    ],
    [
      '8',
      'The user sees who asks, for what, and the binding message',
      'shows the client, the account, the binding message, the details and the place as text',
      'is described to the host, which finds the request again for its user alone',
    ],
    [
      '9',
      'Clients register an address for notifications with TLS',
      'refuses a client with the mode ping without an address',
    ],
    [
      '10.1',
      'A poll names the grant type and auth_req_id',
      'a poll with an auth_req_id (CIBA Core 1.0 §11) > is refused without one',
    ],
    [
      '10.1',
      'An auth_req_id belongs to its client, and is redeemed once',
      'a poll with an auth_req_id (CIBA Core 1.0 §11) > of another client is refused and leaves the request usable',
      'that redeems a request again revokes what was issued for it (RFC 6749 §4.1.2)',
    ],
    [
      '10.1',
      'A client in the mode ping may poll too',
      'is notified of an approval with its own token, and gets the tokens',
      'may poll, also before it was notified',
    ],
    [
      '10.1.1',
      'The response is a token response with an ID token',
      'gets tokens after the user approved its request, and refreshes them',
    ],
    [
      '10.2',
      'The notification has auth_req_id, and the token of the client as bearer token',
      'is notified of an approval with its own token, and gets the tokens',
    ],
    [
      '10.2',
      'A redirect is not followed, and after 4xx the notification is not repeated',
      'that answers … is called … times, and a redirect is not followed',
    ],
    ['10.2', 'The client checks the bearer token', clientsDuty],
    ['10.3', 'Notifications with tokens', notOffered('the mode push is not offered')],
    [
      '11',
      'authorization_pending, slow_down, expired_token and access_denied say how the request stands',
      'is told that the user denied its request',
      'is told to slow down once if it comes too early, and is heard when it waits',
      'a poll with an auth_req_id (CIBA Core 1.0 §11) > is told for ten minutes that the request has expired',
    ],
    [
      '11',
      'slow_down lengthens the interval by at least five seconds',
      'early polls lengthen the interval, and a client that waits for it is heard',
    ],
    [
      '13',
      'Errors have the codes of this section; user_code ones only for clients that use codes',
      'protects the user when it is missing',
      'is refused with hidden text, stores nothing and asks nobody',
    ],
    ['14', 'The user is asked over a channel that is theirs', outside('the host reaches its user')],
  ],
}
