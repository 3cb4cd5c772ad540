import { clientsDuty, departed, hostsTls, notOffered, outside, rfc, type Standard } from './standard.ts'

/** What RFC 9700 asks of an authorization server. `docs/explanation/attacks.md` tells what stops each of its threats. */
export const rfc9700: Standard = {
  name: 'RFC 9700',
  title: 'Best Current Practice for OAuth 2.0 Security',
  address: rfc(9700),
  requirements: [
    [
      '2.1',
      'Redirect URIs are compared as strings, apart from the port on loopback',
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
    ['2.1.1', 'PKCE is supported, and its support can be seen', 'discovery lists S256 only'],
    [
      '2.1.1',
      'Public clients use PKCE',
      'requires PKCE from a public client, by POST too (RFC 9700 §2.1.1)',
      'does not exempt a public client whose name is on the list (RFC 9700 §2.1.1)',
    ],
    [
      '2.1.1',
      'A challenge that was sent has to be proven',
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
      'Access tokens that are bound to the sender',
      notOffered('tokens are Bearer tokens that live for ten minutes'),
    ],
    [
      '2.2.2',
      'Refresh tokens of public clients rotate, or are bound to the sender',
      'the refresh token of P is rotated, and only the newest is accepted (RFC 9700 §4.14.2)',
      'a public client’s refresh token rotates, and reuse of an old one revokes the family (RFC 9700 §4.14.2)',
    ],
    [
      '2.3',
      'An access token is for certain resource servers, which check that',
      'a token for a resource has only that audience (RFC 9068 §3)',
      '401 invalid_token for a token of another API (RFC 9068 §4)',
    ],
    ['2.4', 'There is no password grant', 'the password grant is not supported (RFC 9700 §2.4)'],
    [
      '2.5',
      'Client authentication, by keys where that can be',
      'private_key_jwt: accepted assertions',
      'client_id alone for the confidential client A is refused (OAuth 2.1 §3.2.1)',
    ],
    [
      '2.6',
      'No CORS at the authorization endpoint',
      'GET /auth has no CORS headers',
      'scripts of other origins cannot read the authorization endpoint (RFC 9700 §2.6)',
    ],
    ['2.6', 'No http redirect URI, apart from loopback', 'RFC 9700 §2.6 …'],
    ['2.6', 'TLS to the end', hostsTls],
    [
      '4.2.4',
      'A code counts once, and its reuse ends what it gave',
      'at once revokes everything the code was exchanged for',
    ],
    [
      '4.2.4',
      'Pages leak no address',
      'carries code, state and iss, is kept out of caches and referrers, and stores one code',
      'hides its address from other origins',
    ],
    ['4.3.2', 'No access token in a query', 'rejects a valid token in the query (RFC 9700 §4.3.2)'],
    [
      '4.4.2',
      'Each server has an issuer that the client can tell from others',
      'rejects a code of another issuer in the same database (RFC 9700 §4.4)',
      'iss is in success and error responses, and advertised (RFC 9207 §2)',
    ],
    [
      '4.5.3',
      'A code that was injected does not get the attacker in',
      'rejects the verifier of another code of the same client (RFC 7636 §4.6)',
      'another client’s code is reported as unknown and stays usable (RFC 6749 §4.1.3)',
    ],
    [
      '4.7',
      'The server’s own pages are safe against CSRF',
      'a form that another site posts to the host’s page (RFC 9700 §4.7) > is rejected when it has Sec-Fetch-Site: cross-site',
      'an interaction belongs to the browser that started it (RFC 9700 §4.7)',
    ],
    [
      '4.8.2',
      'PKCE cannot be taken out of a request',
      'rejects a verifier for a code without a challenge (RFC 9700 §4.8.2)',
      'losing the challenge in storage does not switch PKCE off (RFC 9700 §4.8.2)',
    ],
    [
      '4.9.2',
      'Resource servers take care of the tokens that they receive',
      outside('a duty of the API'),
      'is never cached, for any reason (RFC 6750 §5.3)',
    ],
    [
      '4.11.2',
      'Nobody is redirected before they have signed in, prompt=none apart',
      departed(
        'an error of a request goes back at once, as RFC 6749 §4.1.2.1 has it, to an address that the operator has registered; there is no registration for strangers',
      ),
      'every other error is returned to the client, with state and iss (RFC 6749 §4.1.2.1)',
    ],
    [
      '4.12',
      'Not 307 after a form with credentials',
      'every redirect is a 303, even after a form with credentials (RFC 9700 §4.12)',
    ],
    [
      '4.13',
      'A proxy cleans the headers that it is trusted for',
      outside('a duty of the proxy'),
      'X-Forwarded-Host does not change the metadata',
    ],
    [
      '4.14.2',
      'A refresh token is bound to what was consented to',
      'narrowing one access token does not narrow the refresh token; widening is rejected (RFC 6749 §6)',
      'tokens issued later lack a scope that was removed from the client (RFC 6749 §3.3) > by re',
    ],
    [
      '4.14.2',
      'Reuse of an old refresh token ends its family',
      'after the retry window it revokes the family, including the newest token (RFC 9700 §4.14.2)',
      'the token before the previous one revokes the family, even within the window (RFC 9700 §4.14.2)',
    ],
    [
      '4.14.2',
      'Refresh tokens end when they are not used',
      'a token that was not used for the idle lifetime is rejected (RFC 9700 §4.14.2)',
    ],
    [
      '4.15',
      'Clients do not choose an identifier that is taken for a person',
      'refuses a client_id that is the identifier of a user (RFC 9700 §4.15)',
      'returns an access token for the client itself and nothing else (RFC 6749 §4.4.3, RFC 9700 §4.15)',
    ],
    [
      '4.16',
      'No page of the server is framed',
      'no page of the server can be framed',
      'its pages cannot be framed (RFC 9700 §4.16)',
    ],
  ],
}
