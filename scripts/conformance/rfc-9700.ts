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
      'RFC 9700 §2.1: … is not https://app.test/cb',
      'RFC 8252 §7.3: other hosts have no free port',
    ],
    [
      '2.1',
      'Neither server nor client is an open redirector',
      'RFC 6749 §4.1.2.1: until the client is known',
      clientsDuty,
    ],
    ['2.1', 'Clients prevent CSRF at their redirect URI', clientsDuty],
    [
      '2.1',
      'Mix-up is prevented where there are several servers',
      'RFC 9207 §2: iss is in success and error, and advertised',
      clientsDuty,
    ],
    ['2.1.1', 'PKCE is supported, and its support can be seen', 'ATK-146 discovery names S256 and nothing else'],
    [
      '2.1.1',
      'Public clients use PKCE',
      'RFC 9700 §2.1.1: a public client cannot do without, by POST either',
      'RFC 9700 §2.1.1: a public client is not exempt',
    ],
    [
      '2.1.1',
      'A challenge that was sent has to be proven',
      'who sent a challenge all the same has to prove it',
      'ATK-140 none burns the code',
    ],
    [
      '2.1.1',
      'A verifier without a challenge is refused',
      'ATK-139 a verifier without a challenge means that somebody removed the challenge',
    ],
    [
      '2.1.2',
      'No access token travels through the browser',
      'Multiple Response Types §5: no token travels through the browser',
    ],
    [
      '2.2.1',
      'Access tokens that are bound to the sender',
      notOffered('tokens are Bearer tokens that live for ten minutes'),
    ],
    [
      '2.2.2',
      'Refresh tokens of public clients rotate, or are bound to the sender',
      'RFC 9700 §4.14.2: the refresh token of P is rotated, and only the newest counts',
      'RFC 9700 §4.14.2: a public client’s refresh token rotates',
    ],
    [
      '2.3',
      'An access token is for certain resource servers, which check that',
      'RFC 9068 §3: with a resource the token is for it alone',
      'RFC 9068 §4: 401 invalid_token for a token of another API',
    ],
    ['2.4', 'There is no password grant', 'ATK-206 the password grant is not there'],
    ['2.5', 'Client authentication, by keys where that can be', 'private_key_jwt: what is accepted', 'ATK-227'],
    [
      '2.6',
      'No CORS at the authorization endpoint',
      'ATK-034 GET /auth has no CORS headers',
      'RFC 9700 §2.6: no other origin’s script reads the authorization endpoint',
    ],
    [
      '2.6',
      'No http redirect URI, apart from loopback',
      'RFC 7591 §3.2.2: a redirect URI that cannot be safe is not registered > RFC 9700 §2.6',
    ],
    ['2.6', 'TLS to the end', hostsTls],
    [
      '4.2.4',
      'A code counts once, and its reuse ends what it gave',
      'ATK-151 at once ends all that it was exchanged for',
    ],
    [
      '4.2.4',
      'Pages leak no address',
      'ATK-091 carries code, state and iss, and leaks to no cache and no referrer',
      'keeps its address from other origins',
    ],
    ['4.3.2', 'No access token in a query', 'RFC 9700 §4.3.2: a good token in the query is refused'],
    [
      '4.4.2',
      'Each server has an issuer that the client can tell from others',
      'ATK-170 RFC 9700 §4.4: a code of another issuer, in the same database',
      'RFC 9207 §2: iss is in success',
    ],
    [
      '4.5.3',
      'A code that was injected does not get the attacker in',
      'RFC 7636 §4.6: the verifier of another code of the same client does not fit',
      'RFC 6749 §4.1.3: another client’s code',
    ],
    [
      '4.7',
      'The server’s own pages are safe against CSRF',
      'RFC 9700 §4.7: a form that another site posts',
      'RFC 9700 §4.7: an interaction belongs to the browser that started it',
    ],
    [
      '4.8.2',
      'PKCE cannot be taken out of a request',
      'RFC 9700 §4.8.2: a verifier for a code without a challenge is refused',
      'RFC 9700 §4.8.2: a store that lost the challenge has not switched PKCE off',
    ],
    [
      '4.9.2',
      'Resource servers take care of the tokens that they receive',
      outside('a duty of the API'),
      'RFC 6750 §5.3: no answer is kept',
    ],
    [
      '4.11.2',
      'Nobody is redirected before they have signed in, prompt=none apart',
      departed(
        'an error of a request goes back at once, as RFC 6749 §4.1.2.1 has it, to an address that the operator has registered; there is no registration for strangers',
      ),
      'RFC 6749 §4.1.2.1: of every other error the client hears, with state and iss',
    ],
    [
      '4.12',
      'Not 307 after a form with credentials',
      'RFC 9700 §4.12: every redirect is a 303, also after a form with credentials',
    ],
    [
      '4.13',
      'A proxy cleans the headers that it is trusted for',
      outside('a duty of the proxy'),
      'ATK-031 X-Forwarded-Host does not change the metadata',
    ],
    [
      '4.14.2',
      'A refresh token is bound to what was consented to',
      'RFC 6749 §6: narrowing one access token does not shrink the refresh token; widening is refused',
      'RFC 6749 §3.3: a scope that was taken from a client is in no token',
    ],
    [
      '4.14.2',
      'Reuse of an old refresh token ends its family',
      'ATK-178 after the window it ends the family, the newest token too',
      'ATK-182 the grandparent ends the family',
    ],
    [
      '4.14.2',
      'Refresh tokens end when they are not used',
      'RFC 9700 §4.14.2: a token that nobody used for its idle life is dead',
    ],
    [
      '4.15',
      'Clients do not choose an identifier that is taken for a person',
      'RFC 9700 §4.15: a client never bears the identifier of an account',
      'ATK-205 an access token for the client itself',
    ],
    [
      '4.16',
      'No page of the server is framed',
      'ATK-086 no page of the server can be framed',
      'RFC 9700 §4.16: its pages are not shown in a frame',
    ],
  ],
}
