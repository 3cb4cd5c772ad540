import { notOffered, rfc, type Standard } from './standard.ts'

const endpoint = notOffered(
  'there is no registration for strangers: clients are registered by the host, the command line or administration',
)

/** What RFC 7591 asks of who registers clients, as far as it does not depend on the endpoint, which is not there. */
export const rfc7591: Standard = {
  name: 'RFC 7591',
  title: 'Dynamic Client Registration, as used',
  address: rfc(7591),
  requirements: [
    [
      '2',
      'Clients that are redirected to register their redirect URIs',
      'rejects a client of the code grant without a redirect URI (RFC 7591 §2)',
    ],
    [
      '2',
      'Redirect URIs that are not safe are refused',
      'rejects the registration of an unsafe redirect URI (RFC 7591 §3.2.2)',
      'refuses a change that would leave a redirect URI with a wildcard (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'jwks and jwks_uri are not both there, and keys are there where they are needed',
      'refuses a change that would leave keys that it does not have (RFC 7591 §3.2.2)',
    ],
    [
      '2',
      'What the client may do is what it is registered for',
      'A, which is registered for other grants, is refused (RFC 6749 §5.2)',
      'tells a client that is not registered for the code grant (RFC 6749 §4.1.2.1)',
    ],
    [
      '2',
      'Members that are not understood are ignored',
      endpoint,
      'POST … rejects members that it does not define (mass assignment)',
    ],
    ['3', 'The endpoint takes JSON by POST, over TLS', endpoint],
    [
      '3.2.1',
      'A client_id is given to one client',
      'rejects an identifier that a client has, or had before it was removed',
      'clients: a client_id is inserted at most once',
    ],
    [
      '3.2.1',
      'A secret is answered with when it ends',
      endpoint,
      'a client is created with a secret that is shown once',
    ],
    [
      '3.2.2',
      'What is wrong is invalid_redirect_uri or invalid_client_metadata',
      'refuses a change that would leave no name (RFC 7591 §3.2.2)',
      'rejects idTokenSignedResponseAlg that the key ring does not sign with, and stores nothing (RFC 7591 §3.2.2)',
    ],
    [
      '5',
      'What a client says of itself is shown as its word',
      'shows a hostile client, account and scope as text',
      'names the redirect target, with a look-alike host in ASCII',
    ],
    [
      '5',
      'Addresses that a client brings reach nothing that is internal',
      'does not fetch https://169.254.169.254/ (RFC 9700 §4.11)',
    ],
  ],
}
