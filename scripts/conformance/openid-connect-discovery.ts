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
      'OIDC Discovery §3: has every required member, and the endpoints are the issuer’s',
    ],
    ['3', 'The issuer is https, without query and fragment', 'ATK-335 RFC 8414 §2: refuses to start with'],
    [
      '3',
      'RS256 is among the algorithms of ID tokens',
      'OIDC Discovery §3: says what is supported',
      'OIDC Core §15.1: is signed with RS256 where the client chose nothing',
    ],
    [
      '3',
      'Where several kinds of keys are published, each says its use',
      'RFC 7517 §4: holds public signing keys alone, each with kid, alg and use',
    ],
    [
      '3',
      'Silence about request_uri would mean that it is supported',
      'OIDC Discovery §3: says that request objects are not, since silence would mean that request_uri is',
    ],
    ['4.2', 'Members without a value are left out', 'RFC 8414 §3.2: has no member without a value'],
    [
      '4',
      'The document is below the issuer, by GET',
      'OIDC Discovery §4, RFC 8414 §3: the metadata is at /.well-known/openid-configuration',
      'OIDC Discovery §4.1, RFC 8414 §3.1: an issuer with a path is found',
    ],
    ['4.2', 'The answer is 200 and JSON', 'OIDC Discovery §4.2: is JSON, with status 200'],
    [
      '4.3',
      'The issuer of the document is that of the address and of the ID tokens',
      'OIDC Core §3.1.3.7: is signed with the RS256 key of the key set that its client chose',
      'OIDC Discovery §4.3: a server that names another issuer fails',
    ],
    ['4.3', 'The client compares it', clientsDuty],
    ['7.1', 'TLS', hostsTls],
  ],
}
