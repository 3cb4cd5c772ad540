import { clientsDuty, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 8414 asks of an authorization server. */
export const rfc8414: Standard = {
  name: 'RFC 8414',
  title: 'Authorization Server Metadata',
  address: rfc(8414),
  requirements: [
    [
      '2',
      'The issuer is an https address without query and fragment',
      'RFC 8414 §2: accepts https://as.test',
      'ATK-335 RFC 8414 §2: refuses to start with https://as.test?x=1',
      'ATK-335 RFC 8414 §2: refuses to start with http://as.test',
    ],
    [
      '2',
      'authorization_endpoint, token_endpoint and response_types_supported are there',
      'names the endpoints and methods of OAuth (RFC 8414 §2)',
    ],
    [
      '2',
      'The key set holds the signing keys, each with its use',
      'holds public signing keys alone, each with kid, alg and use (RFC 7517 §4)',
    ],
    [
      '2',
      'The algorithms of private_key_jwt are named, and none is not among them',
      'names the endpoints and methods of OAuth (RFC 8414 §2)',
      'private_key_jwt: forged',
    ],
    [
      '2',
      'What is named is what is there',
      'nothing is offered that this server refuses (RFC 9700 §2.1.2)',
      'every address is below the issuer, and something answers there (RFC 8414 §2)',
    ],
    ['2.1', 'Signed metadata', notOffered('the document is not signed')],
    [
      '3',
      'The document is at the well-known address, for GET',
      'the metadata is at /.well-known/oauth-authorization-server, and speaks of the configured issuer alone (OIDC Discovery §4, RFC 8414 §3)',
      'both documents are one (RFC 8414 §3)',
    ],
    ['3', 'over https', hostsTls],
    [
      '3.1',
      'An issuer with a path has the well-known part between host and path',
      'an issuer with a path is found in both ways of writing it (OIDC Discovery §4.1, RFC 8414 §3.1)',
      'RFC 8414 §3.1: an issuer with a path is found by the appended and by the inserted form',
    ],
    [
      '3.2',
      'The answer is 200, JSON, without members that have no value',
      'is JSON, with status 200 (OIDC Discovery §4.2)',
      'has no member without a value (RFC 8414 §3.2)',
    ],
    [
      '3.3',
      'The issuer in the document is the one that was asked',
      'the issuer is exact, and both ways of writing the well-known path answer (RFC 8414 §3.1)',
      'a hostile Host and forwarding headers change no byte (RFC 9700 §4.13)',
    ],
    ['3.3', 'The client compares the issuer, and uses no other document', clientsDuty],
    ['6.1', 'TLS', hostsTls],
  ],
}
