import { hostsTls, rfc, type Standard } from './standard.ts'

/** What RFC 7662 asks of an authorization server, and of the resource servers that ask it. */
export const rfc7662: Standard = {
  name: 'RFC 7662',
  title: 'Token Introspection',
  address: rfc(7662),
  requirements: [
    ['2', 'The endpoint is protected by TLS', hostsTls],
    [
      '2.1',
      'The token comes in a form, by POST, and nowhere else',
      'ATK-296 no token',
      'RFC 7662 §2.1: a token in the query',
      'ATK-304 GET is not answered',
    ],
    [
      '2.1',
      'Who asks is authenticated',
      'RFC 7662 §2.1: no authentication',
      'RFC 7662 §2.1: a wrong secret',
      'ATK-292 the public client P',
    ],
    ['2.1', 'A wrong hint does not keep the token from being found', 'ATK-298 the hint'],
    [
      '2.2',
      'The answer is JSON with a boolean active',
      'RFC 7662 §2.2, §4: what is foreign, forged, expired or unknown is inactive and nothing else',
    ],
    [
      '2.2',
      'A token that is not active, not known or not for who asks is active: false, and a 200',
      'ATK-295 an unknown token',
      "ATK-293 A's access token, asked by B",
    ],
    ['2.2', 'Nothing else is said of a token that is not active', 'RFC 7662 §2.2, §4: what is foreign, forged'],
    ['2.3', 'Who fails to authenticate gets the 401 of RFC 6749 §5.2', 'RFC 7662 §2.1: a wrong secret'],
    ['4', 'A token that has expired is not active', 'ATK-295 an expired access token'],
    ['4', 'A token that is not valid yet is not active', 'ATK-277 nbf in a second'],
    ['4', 'A token that was revoked is not active', 'ATK-295 a revoked access token and its family'],
    [
      '4',
      'The signature of a signed token is verified',
      "ATK-299 the token with another scope, signed with another's key",
    ],
    [
      '4',
      'A token that is for certain resource servers is active to those alone',
      "ATK-293 A's access token for this server, asked by RS",
      'RFC 7662 §4: a resource server that no longer serves the audience learns nothing',
    ],
    [
      '4',
      'A resource server keeps no answer beyond the life of the token',
      'RFC 7662 §4: a yes is kept no longer than the token lives',
    ],
    [
      '4',
      'The resource server protects its own credentials, and sends the token in a body',
      'RFC 7662 §2.1: the secret goes to the authorization server alone, and the token in the body',
    ],
    [
      '5',
      'Nothing that is said of a person goes to who has no business with it',
      'ATK-307 the claims of the token, no internal names, nothing about the person',
    ],
  ],
}
