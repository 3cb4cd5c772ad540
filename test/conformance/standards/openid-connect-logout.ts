import { clientsDuty, notOffered, type Standard } from './standard.ts'

/** The requirements of RP-Initiated Logout for an OpenID Provider. */
export const rpInitiatedLogout: Standard = {
  name: 'RP-Initiated Logout',
  title: 'OpenID Connect RP-Initiated Logout 1.0',
  address: 'https://openid.net/specs/openid-connect-rpinitiated-1_0.html',
  requirements: [
    [
      '2',
      'The endpoint supports GET and POST',
      'signs out and returns to the client with state alone, unchanged (RP-Initiated Logout §3)',
      'redirects a cross-site POST to a GET with the same parameters, so that the browser sends its cookies',
    ],
    [
      '2',
      'The server verifies that it issued the hint',
      'a hint that is not an ID token of this server > is ignored, and the user must confirm the logout: alg none with a signature (RFC 8725 §3.1)',
      'is refused, and the user must confirm the logout: a token of another issuer (RP-Initiated Logout §2)',
    ],
    [
      '2',
      'A hint is accepted after it has expired, when its client has or had a session',
      'accepts a hint that expired a year ago (RP-Initiated Logout §2)',
      'asks when the session of the hint has ended (replaced), and returns to the client after that (RP-Initiated Logout §2)',
    ],
    [
      '2',
      'With client_id and a hint, the client must be the one that the hint was issued to',
      'refuses a client_id that contradicts the hint, and asks the user to confirm the logout (RP-Initiated Logout §2)',
    ],
    [
      '2',
      'The user is asked to confirm unless the request is legitimate',
      'asks the user: no parameters (RP-Initiated Logout §2)',
    ],
    ['2', 'An encrypted hint', notOffered('clients decrypt an ID token before they send it as a hint')],
    [
      '2.1',
      'Discovery has end_session_endpoint',
      'discovery says which kinds of logout the server offers (RP-Initiated Logout §2.1, Front-Channel Logout §3)',
    ],
    [
      '3',
      'The browser is redirected only to a registered URL',
      'that is not registered is never followed, and the page asks (RP-Initiated Logout §3)',
      'with a query added is never followed, and the page asks (RP-Initiated Logout §3)',
    ],
    [
      '3',
      'Without a hint, the server redirects only if the request is legitimate in another way',
      'without hint and client_id is never followed (RP-Initiated Logout §3)',
      'with client_id alone is followed only after the user has agreed (RP-Initiated Logout §3)',
    ],
    [
      '3',
      'state is returned unchanged',
      'signs out and returns to the client with state alone, unchanged (RP-Initiated Logout §3)',
      'adds nothing to the return URI when the request has no state (RP-Initiated Logout §3)',
    ],
    [
      '3.1',
      'post_logout_redirect_uris are registered',
      'registers a client with a post-logout redirect URI with https (RP-Initiated Logout §3.1',
      'refuses a client with a post-logout redirect URI with a fragment (RP-Initiated Logout §3.1',
    ],
    [
      '4',
      'Parameters that fail validation are not used',
      'that is not registered is never followed, and the page asks (RP-Initiated Logout §3)',
    ],
    ['6', 'The id_token_hint of another user does not sign the user out', 'asks when the hint is of another user'],
  ],
}

/** The requirements of Front-Channel Logout for an OpenID Provider. */
export const frontChannelLogout: Standard = {
  name: 'Front-Channel Logout',
  title: 'OpenID Connect Front-Channel Logout 1.0',
  address: 'https://openid.net/specs/openid-connect-frontchannel-1_0.html',
  requirements: [
    [
      '2',
      'The registered URL shares scheme, host and port with a redirect URI',
      'refuses a client with a front-channel logout URI with another host (RP-Initiated Logout §3.1',
      'refuses a client with a front-channel logout URI with another port (RP-Initiated Logout §3.1',
    ],
    [
      '2',
      'A registered query is kept; iss and sid are both added or neither is',
      'loads the logout URL of each client of the session in a frame, and allows only their origins (Front-Channel Logout §3)',
    ],
    ['2', 'The client removes its session when its logout URL is loaded', clientsDuty],
    [
      '3',
      'The page loads the logout URLs of the clients in frames',
      'loads each frame, then continues to the client',
      'continues to the client after three seconds when a frame does not load',
    ],
    [
      '3',
      'Discovery says whether it is supported',
      'discovery says which kinds of logout the server offers (RP-Initiated Logout §2.1, Front-Channel Logout §3)',
    ],
  ],
}

/** The requirements of Back-Channel Logout for an OpenID Provider. */
export const backChannelLogout: Standard = {
  name: 'Back-Channel Logout',
  title: 'OpenID Connect Back-Channel Logout 1.0',
  address: 'https://openid.net/specs/openid-connect-backchannel-1_0.html',
  requirements: [
    [
      '2.2',
      'The registered URL is https, without fragment',
      'refuses a client with a back-channel logout URI without TLS (RP-Initiated Logout §3.1',
      'refuses a client with a back-channel logout URI with a fragment (RP-Initiated Logout §3.1',
    ],
    [
      '2.4',
      'The logout token has iss, aud, iat, exp, jti, events and sub or sid, and no nonce',
      'has exactly the claims and the type that the standard defines (Back-Channel Logout §2.4)',
      'names only the user, once for each client, when all sessions of the user are revoked (Back-Channel Logout §2.4)',
    ],
    [
      '2.4',
      'It is signed with the algorithm of the client’s ID tokens',
      'is signed with the algorithm of the client’s ID tokens (Back-Channel Logout §2.4)',
    ],
    [
      '2.5',
      'It is posted to every client that has signed the user in',
      'goes to each client of the session once, and to no other (Back-Channel Logout §2.5)',
      'is sent an hour after the last token of the client has expired (Back-Channel Logout §2.5)',
    ],
    ['2.6', 'The client validates the token', clientsDuty],
    [
      '2.7',
      'Refresh tokens are revoked, except those that were granted with offline_access',
      'a refresh token without offline_access is refused',
      'a refresh token with offline_access is accepted',
    ],
  ],
}
