import { rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9396 for an authorization server and an API. */
export const rfc9396: Standard = {
  name: 'RFC 9396',
  title: 'OAuth 2.0 Rich Authorization Requests',
  address: rfc(9396),
  requirements: [
    ['2', 'authorization_details is an array of objects', 'is refused for an object instead of an array (RFC 9396 §5)'],
    ['2', 'Each entry has a type', 'is refused for no type (RFC 9396 §2, §5)'],
    [
      '3',
      'The parameter is accepted wherever authorization requests are made, with or without a scope',
      'may be requested without a scope (RFC 9396 §3)',
      'may be pushed, and may be in a request object (RFC 9396 §3, RFC 9126 §2.1, RFC 9101 §4)',
    ],
    [
      '5',
      'An unknown type is refused with invalid_authorization_details',
      'is refused for an unknown type (RFC 9396 §2, §5)',
      'is refused by a server that defines no types, instead of granting something else (RFC 9396 §5)',
    ],
    [
      '5',
      'An entry that does not conform to its type is refused with invalid_authorization_details',
      'is refused for an unknown member (RFC 9396 §2, §5)',
      'is refused for the amount "1e999" (RFC 9396 §2, §5)',
    ],
    [
      '6',
      'A token request for more than was granted is refused',
      'with a code is refused for authorization_details with a larger amount, and the code stays usable (RFC 9396 §6)',
      'with a refresh token is refused for authorization_details with a larger amount, and the token is not rotated (RFC 9396 §6)',
    ],
    [
      '6',
      'A token request may ask for less than was granted',
      'can be narrowed by a token request, including to an entry with the values that the user chose (RFC 9396 §6)',
    ],
    [
      '7',
      'The token response has the details as they were granted',
      'are in the token response, the access token, introspection and refreshed tokens (RFC 9396 §7, §9.1, §9.2)',
      'contain what the user chose, and only the entries that the user granted (RFC 9396 §7.1)',
    ],
    [
      '9',
      'APIs receive the details that concern them, in the token or by introspection',
      'are only in tokens for their locations (RFC 9396 §2.2, §9)',
      'shows a resource server only the details that name it as location (RFC 9396 §11.4)',
    ],
    [
      '10',
      'The metadata lists the types',
      'are listed by type in the metadata of a server that has such types, and only there (RFC 9396 §10)',
    ],
    [
      '10',
      'A client uses the types that it is registered for',
      'is refused for a type that the client is not registered for',
    ],
    [
      '11.1',
      'The user sees what is granted',
      'gets no code when its form has no decision about the details',
      'shows each entry with its rows and choices, as text (RFC 9396 §11.1)',
    ],
  ],
}
