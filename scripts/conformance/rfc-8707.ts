import { rfc, type Standard } from './standard.ts'

/** What RFC 8707 asks of an authorization server. */
export const rfc8707: Standard = {
  name: 'RFC 8707',
  title: 'Resource Indicators',
  address: rfc(8707),
  requirements: [
    [
      '2',
      'A resource is an absolute URI without fragment',
      'ATK-080 a resource with a fragment',
      'ATK-080 a relative resource',
      'RFC 8707 §2: resources are absolute URIs without fragment',
    ],
    [
      '2',
      'Several may be named',
      'RFC 8707 §2: of two resources each must be known',
      'several resources: all audiences, the shortest lifetime',
    ],
    [
      '2',
      'One that is unknown, malformed or not allowed is invalid_target',
      'RFC 8707 §2: an unknown resource',
      'ATK-211 M asks for another resource',
    ],
    [
      '2.1',
      'Errors of the authorization request go to the client by redirect',
      'RFC 6749 §4.1.2.1: of every other error the client hears, with state and iss > RFC 8707 §2: an unknown resource',
    ],
    [
      '2.2',
      'The token request asks for resources that were granted, and no others',
      'ATK-167 resource=https://api.test was not granted',
      'RFC 8707 §2.2: a resource that was not granted is refused',
    ],
    [
      '2.2',
      'The access token is for the resources that were asked for',
      'RFC 9068 §3: with a resource the token is for it alone',
      'RFC 8707 §2.2: scopes of other resources stay behind',
    ],
    ['3', 'A token for one resource opens no other', 'RFC 9068 §4: 401 invalid_token for a token of another API'],
  ],
}
