import { clientsDuty, deviation, hostsTls, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9126 for an authorization server. */
export const rfc9126: Standard = {
  name: 'RFC 9126',
  title: 'OAuth 2.0 Pushed Authorization Requests',
  address: rfc(9126),
  requirements: [
    ['2', 'The endpoint uses https', hostsTls],
    [
      '2',
      'Clients authenticate as they do at the token endpoint',
      'refuses a request without authentication (RFC 9126 §2.3)',
      'needs only client_id from a public client (RFC 9126 §2)',
    ],
    [
      '2',
      'An assertion names the issuer, the token endpoint or this endpoint as its audience',
      deviation(
        'an assertion for one endpoint could be sent to another server that accepts it. The audience is the issuer; a client can be registered for the URL of the token endpoint',
      ),
    ],
    ['2', 'request_uri is not a parameter of a pushed request', 'refuses a request_uri in the pushed request'],
    [
      '2.1',
      'A request is validated as at the authorization endpoint, and refused without a redirect',
      'refuses an unregistered redirect_uri in JSON, without a redirect (RFC 9126 §2.3)',
      'refuses prompt=none login in JSON, without a redirect (RFC 9126 §2.3)',
    ],
    [
      '2.2',
      'The response is 201, with a request_uri and its lifetime',
      'stores it and answers with a reference that is valid for a minute (RFC 9126 §2.2)',
    ],
    ['2.2', 'The reference cannot be guessed', 'a guessed pushed request (RFC 9126 §2.2)'],
    ['2.2', 'The reference works only for the client that pushed it', "refuses another client's reference"],
    [
      '2.3',
      'Errors have the format of errors of the token endpoint',
      'refuses a scope that is not registered in JSON, without a redirect (RFC 9126 §2.3)',
      'reports why the server refuses a pushed request (RFC 9126 §2.3)',
    ],
    ['2.3', 'Other methods are answered with 405', 'refuses GET (RFC 9126 §2.3)'],
    ['2.3', 'A request that is too large is answered with 413', 'refuses a form of one byte more than 16 KiB'],
    [
      '2.3',
      'Too many requests are answered with 429',
      'a request beyond rateLimits.pushedRequests gets 429 with Retry-After, and those of others do not',
    ],
    [
      '3',
      'A pushed request object has all parameters, and is validated like any other',
      'ignores parameters outside of the object',
      'a pushed request object is refused in JSON (RFC 9126 §3) > …',
    ],
    [
      '4',
      'The browser sends only client_id and request_uri',
      clientsDuty,
      'ignores everything but client_id and request_uri',
    ],
    [
      '4',
      'A reference is used once',
      'issues a code to the first of two tabs, and shows a page in the second',
      'keeps the request while the page is reloaded, and issues one code',
    ],
    ['4', 'An expired reference is refused', 'refuses a request that was pushed more than a minute ago'],
    [
      '4',
      'The request is validated when the browser brings it',
      'refuses a client that has been disabled in the meantime',
      'redirects with an error if the client has lost its scopes in the meantime',
    ],
    [
      '5',
      'The metadata names the endpoint, and says whether requests must be pushed',
      'a server can require pushed requests from all clients, and discovery says so',
    ],
    [
      '6',
      'A client can be registered to push its requests',
      'refuses a request that was not pushed if the registration of the client requires pushed requests',
    ],
    [
      '7.2',
      'No redirect goes to a URI that is not registered',
      'refuses a request without redirect_uri in JSON, without a redirect (RFC 9126 §2.3)',
    ],
    ['7.5', 'Another user’s reference yields no code for the wrong client', "refuses another client's reference"],
  ],
}
