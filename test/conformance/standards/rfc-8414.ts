import { clientsDuty, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8414 for an authorization server. */
export const rfc8414: Standard = {
  name: 'RFC 8414',
  title: 'Authorization Server Metadata',
  address: rfc(8414),
  requirements: [
    [
      '2',
      'The issuer is an https URL without query or fragment',
      'may be https://as.test (RFC 8414 §2)',
      'must not be https://as.test?x=1',
      'must not be http://as.test',
    ],
    [
      '2',
      'authorization_endpoint, token_endpoint and response_types_supported are present',
      'lists the OAuth endpoints and methods (RFC 8414 §2)',
    ],
    [
      '2',
      'The key set contains the signing keys, each with its use',
      'contains only public signing keys, each with kid, alg and use (RFC 7517 §4)',
    ],
    [
      '2',
      'The algorithms of private_key_jwt are listed, without none',
      'lists the OAuth endpoints and methods (RFC 8414 §2)',
      'private_key_jwt: a forged assertion',
    ],
    [
      '2',
      'Everything listed is supported',
      'lists nothing that this server rejects (RFC 9700 §2.1.2)',
      'every URL is below the issuer and is served (RFC 8414 §2)',
    ],
    ['2.1', 'Signed metadata', notOffered('the document is not signed')],
    [
      '3',
      'The document is served at the well-known URL, for GET',
      'the metadata is at /.well-known/oauth-authorization-server and names only the configured issuer (OIDC Discovery §4, RFC 8414 §3)',
      'both discovery documents are identical (RFC 8414 §3)',
    ],
    ['3', 'The document is served over https', hostsTls],
    [
      '3.1',
      'For an issuer with a path, the well-known part is between host and path',
      'is found at both well-known paths of an issuer with a path (OIDC Discovery §4.1, RFC 8414 §3.1)',
      'serves each discovery document at two paths if the issuer has a path',
    ],
    [
      '3.2',
      'The response is 200 and JSON, without empty members',
      'is JSON with status 200 (OIDC Discovery §4.2)',
      'has no member without a value (RFC 8414 §3.2)',
    ],
    [
      '3.3',
      'The issuer in the document is the one that was requested',
      'the issuer is exact, and both well-known paths answer (RFC 8414 §3.1)',
      'a hostile Host header or forwarding header changes nothing (RFC 9700 §4.13)',
    ],
    ['3.3', 'The client compares the issuer, and uses no other document', clientsDuty],
    ['6.1', 'TLS', hostsTls],
  ],
}
