import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9207 for an authorization server. */
export const rfc9207: Standard = {
  name: 'RFC 9207',
  title: 'Authorization Server Issuer Identification',
  address: rfc(9207),
  requirements: [
    [
      '2',
      'iss is in every authorization response, including errors',
      'iss is in success and error responses, and advertised (RFC 9207 §2)',
      'returns an error in the requested response mode, with iss',
    ],
    [
      '2',
      'iss is the issuer: an https URL without query and fragment',
      'carries code, state and iss, is kept out of caches and referrers, and stores one code',
      'must not be https://as.test#x',
    ],
    [
      '2.3',
      'The metadata names the same issuer',
      'the issuer is exact, and both well-known paths answer (RFC 8414 §3.1)',
    ],
    ['2.4', 'The client compares iss with the server of its request', clientsDuty],
    [
      '3',
      'authorization_response_iss_parameter_supported is true',
      'iss is in success and error responses, and advertised (RFC 9207 §2)',
    ],
  ],
}
