import { notOffered, rfc, type Standard } from './standard.ts'

const endpoint = notOffered('clients are registered by the host, the command line or the admin API')

/** The requirements of RFC 7591 on client metadata; there is no registration endpoint. */
export const rfc7591: Standard = {
  name: 'RFC 7591',
  title: 'Dynamic Client Registration, as used',
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
      'rejects the registration of an unsafe redirect URI (RFC 7591 §3.2.2)',
      'refuses a change that would leave a redirect URI with a wildcard (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'jwks and jwks_uri are not both present, and keys are present if needed',
      'refuses a change that would leave keys that it does not have (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'A client can do only what it is registered for',
      'A, which is registered for other grants, is refused (RFC 6749 §5.2)',
      'tells a client that is not registered for the code grant (RFC 6749 §4.1.2.1)',
    ],
    ['2', 'Unknown members are ignored', endpoint, 'POST … rejects members that it does not define (mass assignment)'],
    ['3', 'The endpoint accepts JSON by POST, over TLS', endpoint],
    [
      '3.2.1',
      'A client_id is issued to one client',
      'rejects an identifier that a client has, or had before it was removed',
      'clients: a client_id is inserted at most once',
    ],
    [
      '3.2.1',
      'A response with a secret has its expiry',
      endpoint,
      'a client is created with a secret that is shown once',
    ],
    [
      '3.2.2',
      'Errors are invalid_redirect_uri or invalid_client_metadata',
      'refuses a change that would leave no name (RFC 7591 §3.2.2)',
      'rejects idTokenSignedResponseAlg that the key ring does not sign with, and stores nothing (RFC 7591 §3.2.2)',
    ],
    [
      '5',
      'Self-asserted client metadata is shown as such',
      'shows a hostile client, account and scope as text',
      'names the redirect target, with a look-alike host in ASCII',
    ],
    [
      '5',
      'URLs in client metadata cannot reach internal hosts',
      'refuses https://169.254.169.254/ without a connection (RFC 9700 §4.11)',
    ],
  ],
}
