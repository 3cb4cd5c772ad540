import { clientsDuty, hostsTls, notOffered, type Standard } from './standard.ts'

/** What OpenID Connect Discovery asks of an OpenID Provider. */
export const openidConnectDiscovery: Standard = {
  name: 'OIDC Discovery',
  title: 'OpenID Connect Discovery 1.0',
  address: 'https://openid.net/specs/openid-connect-discovery-1_0.html',
  requirements: [
    ['2', 'WebFinger', notOffered('the issuer is told by whoever configures the client')],
    [
      '3',
      'issuer, authorization_endpoint, token_endpoint, jwks_uri, response_types_supported, subject_types_supported and id_token_signing_alg_values_supported are there',
      'has every required member, with endpoints below the issuer (OIDC Discovery §3)',
    ],
    ['3', 'The issuer is https, without query and fragment', 'refuses to start with'],
    [
      '3',
      'RS256 is among the algorithms of ID tokens',
      'lists what is supported (OIDC Discovery §3)',
      'is signed with RS256 when the client chose nothing (OIDC Core §15.1)',
    ],
    [
      '3',
      'Where several kinds of keys are published, each says its use',
      'contains public signing keys only, each with kid, alg and use (RFC 7517 §4)',
    ],
    [
      '3',
      'Silence about request_uri would mean that it is supported',
      'says that request objects are unsupported, because the default for request_uri is supported (OIDC Discovery §3)',
    ],
    ['4.2', 'Members without a value are left out', 'has no member without a value (RFC 8414 §3.2)'],
    [
      '4',
      'The document is below the issuer, by GET',
      'the metadata is at /.well-known/openid-configuration and names only the configured issuer (OIDC Discovery §4, RFC 8414 §3)',
      'is found at both well-known paths of an issuer with a path (OIDC Discovery §4.1, RFC 8414 §3.1)',
    ],
    ['4.2', 'The answer is 200 and JSON', 'is JSON with status 200 (OIDC Discovery §4.2)'],
    [
      '4.3',
      'The issuer of the document is that of the address and of the ID tokens',
      'is signed with the RS256 key that its client chose (OIDC Core §3.1.3.7)',
      'a server that names another issuer fails, with advice on how to fix it (OIDC Discovery §4.3)',
    ],
    ['4.3', 'The client compares it', clientsDuty],
    ['7.1', 'TLS', hostsTls],
  ],
}
