import { hostsTls, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 7591 on client metadata, and on the endpoint that `@mintmark/registration` adds. */
export const rfc7591: Standard = {
  name: 'RFC 7591',
  title: 'OAuth 2.0 Dynamic Client Registration Protocol',
  address: rfc(7591),
  requirements: [
    [
      '2',
      'Clients of redirect-based grants register their redirect URIs',
      'rejects a client of the code grant without a redirect URI (RFC 7591 §2)',
    ],
    [
      '2',
      'Unsafe redirect URIs are rejected',
      'the registration of a redirect URI (RFC 7591 §3.2.2) > rejects an unsafe URI',
      'refuses a change that would result in a redirect URI with a wildcard (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'jwks and jwks_uri are not both present, and keys are present if needed',
      'refuses a change that would result in private_key_jwt without keys (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'A client can do only what it is registered for',
      'A, which is registered for other grants, is refused (RFC 6749 §5.2)',
      'tells a client that it is not registered for the code grant (RFC 6749 §4.1.2.1)',
    ],
    ['2', 'Unknown members are ignored', 'ignores unknown members, and members that only administrators may set'],
    [
      '2.3',
      'A software statement is used only if its issuer is trusted, and its claims take precedence',
      'registers a client with a statement of a trusted issuer, whose claims override the request',
      'refuses a statement of another issuer, a forged one, an expired one, and a request without a statement',
    ],
    ['3', 'The endpoint uses TLS', hostsTls],
    [
      '3',
      'The endpoint accepts JSON by POST',
      'answers wrong requests to its path with 405, 413 or 415, and other paths with 404',
      'openid-client finds the endpoint in the discovery document and registers a client, which can then authenticate',
    ],
    [
      '3',
      'A server that requires an initial access token refuses a request without one',
      'refuses a missing token with 401 before it reads the body',
      'refuses an expired and a revoked token',
    ],
    [
      '3.2.1',
      'A client_id is issued to one client',
      'rejects an identifier that a client has, or had before it was removed',
      'clients: a client_id is inserted at most once',
    ],
    [
      '3.2.1',
      'A response with a secret has its expiry',
      'openid-client finds the endpoint in the discovery document and registers a client, which can then authenticate',
    ],
    [
      '3.2.2',
      'Errors are invalid_redirect_uri or invalid_client_metadata',
      'with an initial access token (RFC 7591 §3) > refuses a plain http redirect URI',
      'a refused registration stores nothing and does not use up the token',
      'refuses a change that would result in an empty name (RFC 7591 §3.2.2)',
      'rejects idTokenSignedResponseAlg that the key ring does not sign with, and stores nothing (RFC 7591 §3.2.2)',
    ],
    [
      '5',
      'Self-asserted client metadata is shown as such',
      'shows a hostile client, account and scope as text',
      'names the redirect target, with an international host in ASCII',
    ],
    [
      '5',
      'URLs in client metadata cannot reach internal hosts',
      'refuses https://169.254.169.254/ without a connection (RFC 9700 §4.11)',
    ],
  ],
}
