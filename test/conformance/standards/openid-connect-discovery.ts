import { clientsDuty, hostsTls, notOffered, type Standard } from './standard.ts'

/** The requirements of OpenID Connect Discovery for an OpenID Provider. */
export const openidConnectDiscovery: Standard = {
  name: 'OIDC Discovery',
  title: 'OpenID Connect Discovery 1.0',
  address: 'https://openid.net/specs/openid-connect-discovery-1_0.html',
  requirements: [
    ['2', 'WebFinger', notOffered('the client is configured with the issuer')],
    [
      '3',
      'issuer, authorization_endpoint, token_endpoint, jwks_uri, response_types_supported, subject_types_supported and id_token_signing_alg_values_supported are present',
      'has every required member, with endpoints below the issuer (OIDC Discovery §3)',
    ],
    ['3', 'The issuer is an https URL without query and fragment', 'refuses to start with'],
    [
      '3',
      'RS256 is supported for ID tokens',
      'lists what is supported (OIDC Discovery §3)',
      'is signed with RS256 when the client chose nothing (OIDC Core §15.1)',
    ],
    [
      '3',
      'If keys for several uses are published, each has its use',
      'contains only public signing keys, each with kid, alg and use (RFC 7517 §4)',
    ],
    [
      '3',
      'request_uri is taken as supported unless the document says otherwise',
      'says that request objects are supported only by value, because the default for request_uri is supported (OIDC Discovery §3)',
    ],
    ['4.2', 'Members without a value are omitted', 'has no member without a value (RFC 8414 §3.2)'],
    [
      '4',
      'The document is served below the issuer, by GET',
      'the metadata is at /.well-known/openid-configuration and names only the configured issuer (OIDC Discovery §4, RFC 8414 §3)',
      'is found at both well-known paths of an issuer with a path (OIDC Discovery §4.1, RFC 8414 §3.1)',
    ],
    ['4.2', 'The response is 200 and JSON', 'is JSON with status 200 (OIDC Discovery §4.2)'],
    [
      '4.3',
      "The document's issuer equals the issuer in its URL and in the ID tokens",
      'is signed with the RS256 key that its client chose (OIDC Core §3.1.3.7)',
      'a server that names another issuer fails, with advice on how to fix it (OIDC Discovery §4.3)',
    ],
    ['4.3', 'The client compares these issuers', clientsDuty],
    ['7.1', 'TLS', hostsTls],
  ],
}
