import { clientsDuty, deviation, hostsTls, notOffered, outside, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9700 for an authorization server. `docs/explanation/attacks.md` explains the defence against each threat. */
export const rfc9700: Standard = {
  name: 'RFC 9700',
  title: 'Best Current Practice for OAuth 2.0 Security',
  address: rfc(9700),
  requirements: [
    [
      '2.1',
      'Redirect URIs are compared as strings, except for the port on loopback',
      '… does not match https://app.test/cb (RFC 9700 §2.1)',
      'only loopback hosts may have any port (RFC 8252 §7.3)',
    ],
    [
      '2.1',
      'Neither server nor client is an open redirector',
      'until the client is known, an error is shown on a local page (RFC 6749 §4.1.2.1)',
      clientsDuty,
    ],
    ['2.1', 'Clients prevent CSRF at their redirect URI', clientsDuty],
    [
      '2.1',
      'Mix-up is prevented where there are several servers',
      'iss is in success and error responses, and advertised (RFC 9207 §2)',
      clientsDuty,
    ],
    ['2.1.1', 'PKCE is supported and advertised', 'discovery lists S256 only'],
    [
      '2.1.1',
      'Public clients use PKCE',
      'requires PKCE from a public client, by POST too (RFC 9700 §2.1.1)',
      'a public client that is not registered for PKCE needs it nevertheless (RFC 9700 §2.1.1)',
    ],
    [
      '2.1.1',
      'A challenge that was sent requires its verifier',
      'must prove a challenge it has sent',
      'none uses up the code: the right verifier is too late',
    ],
    [
      '2.1.1',
      'A verifier without a challenge is refused',
      'rejects a verifier without a challenge: the challenge may have been removed',
    ],
    [
      '2.1.2',
      'No access token travels through the browser',
      'no token travels through the browser, so no response_type requests one (Multiple Response Types §5)',
    ],
    [
      '2.2.1',
      'Sender-constrained access tokens',
      notOffered('access tokens are Bearer tokens with a lifetime of ten minutes'),
    ],
    [
      '2.2.2',
      'Refresh tokens of public clients rotate or are sender-constrained',
      'the refresh token of P is rotated, and only the newest is accepted (RFC 9700 §4.14.2)',
      'a public client’s refresh token rotates, and reuse of an old one revokes the family (RFC 9700 §4.14.2)',
    ],
    [
      '2.3',
      'An access token is restricted to certain resource servers, which verify it',
      'a token for a resource has only that audience (RFC 9068 §3)',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
    ],
    ['2.4', 'There is no password grant', 'the password grant is not supported (RFC 9700 §2.4)'],
    [
      '2.5',
      'Clients authenticate, preferably with keys',
      'private_key_jwt: accepted assertions',
      'client_id alone for the confidential client A is refused (OAuth 2.1 §3.2.1)',
    ],
    [
      '2.6',
      'No CORS at the authorization endpoint',
      'GET /auth has no CORS headers',
      'scripts of other origins cannot read the authorization endpoint (RFC 9700 §2.6)',
    ],
    ['2.6', 'No http redirect URI except on loopback', 'RFC 9700 §2.6 …'],
    ['2.6', 'End-to-end TLS', hostsTls],
    [
      '4.2.4',
      'A code can be used once, and reuse revokes the tokens issued from it',
      'a replay at once revokes everything issued for the code',
    ],
    [
      '4.2.4',
      'Pages do not leak URLs',
      'carries code, state and iss, is kept out of caches and referrers, and stores one code',
      'hides its address from other origins',
    ],
    ['4.3.2', 'No access token in a query', 'rejects a valid token in the query (RFC 9700 §4.3.2)'],
    [
      '4.4.2',
      'Each server has a distinct issuer',
      'rejects a code of another issuer in the same database (RFC 9700 §4.4)',
      'iss is in success and error responses, and advertised (RFC 9207 §2)',
    ],
    [
      '4.5.3',
      'An injected code is useless to the attacker',
      'rejects the verifier of another code of the same client (RFC 7636 §4.6)',
      'another client’s code is reported as unknown and stays usable (RFC 6749 §4.1.3)',
    ],
    [
      '4.7',
      "The server's own pages are protected against CSRF",
      'a form that another site posts to the host’s page (RFC 9700 §4.7) > is rejected when it has Sec-Fetch-Site: cross-site',
      'an interaction belongs to the browser that started it (RFC 9700 §4.7)',
    ],
    [
      '4.8.2',
      'PKCE cannot be removed from a request',
      'rejects a verifier for a code without a challenge (RFC 9700 §4.8.2)',
      'losing the challenge in storage does not switch PKCE off (RFC 9700 §4.8.2)',
    ],
    [
      '4.9.2',
      'Resource servers protect the tokens they receive',
      outside('a duty of the API'),
      'is never cached, for any reason (RFC 6750 §5.3)',
    ],
    [
      '4.11.2',
      'Users are not redirected before they have signed in, except for prompt=none',
      deviation(
        'errors are returned at once, as RFC 6749 §4.1.2.1 requires, to a redirect URI that the operator registered; strangers cannot register clients',
      ),
      'every other error is returned to the client, with state and iss (RFC 6749 §4.1.2.1)',
    ],
    [
      '4.12',
      'A form with credentials is not redirected with 307',
      'every redirect is a 303, even after a form with credentials (RFC 9700 §4.12)',
    ],
    [
      '4.13',
      'A proxy sanitizes the headers that it is trusted for',
      outside('a duty of the proxy'),
      'X-Forwarded-Host does not change the metadata',
    ],
    [
      '4.14.2',
      'A refresh token is bound to the consented scope and resources',
      'narrowing one access token does not narrow the refresh token; widening is rejected (RFC 6749 §6)',
      'tokens issued later lack a scope that was removed from the client (RFC 6749 §3.3) > by re',
    ],
    [
      '4.14.2',
      'Reuse of an old refresh token revokes its family',
      'after the retry window it revokes the family, including the newest token (RFC 9700 §4.14.2)',
      'the token before the previous one revokes the family, even within the window (RFC 9700 §4.14.2)',
    ],
    [
      '4.14.2',
      'Unused refresh tokens expire',
      'a token that was not used for the idle lifetime is rejected (RFC 9700 §4.14.2)',
    ],
    [
      '4.15',
      "Clients cannot choose an identifier that could be a user's",
      'refuses a client_id that is the identifier of a user (RFC 9700 §4.15)',
      'returns an access token for the client itself and nothing else (RFC 6749 §4.4.3, RFC 9700 §4.15)',
    ],
    [
      '4.16',
      "The server's pages cannot be framed",
      'no page of the server can be framed',
      'its pages cannot be framed (RFC 9700 §4.16)',
    ],
  ],
}
