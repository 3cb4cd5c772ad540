import { notOffered, type Standard } from './standard.ts'

/** The requirements of JARM for an authorization server. */
export const jarm: Standard = {
  name: 'JARM',
  title: 'JWT Secured Authorization Response Mode for OAuth 2.0',
  address: 'https://openid.net/specs/oauth-v2-jarm-final.html',
  requirements: [
    [
      '2.1',
      'The JWT has iss, aud, exp and all parameters of the response',
      'response_mode=query.jwt returns the code in a JWT in the query',
    ],
    ['2.1', 'Errors are in a JWT as well', 'contains the denial of the user', 'contains the error: a bad scope'],
    ['2.2', 'The JWT is signed; none is not permitted', 'discovery lists the modes and the algorithms (JARM §4)'],
    [
      '2.2',
      'A response that is encrypted is signed first',
      'are signed, then encrypted with A128CBC-HS256 by default (JARM §2.2)',
    ],
    [
      '2.3',
      'query.jwt and form_post.jwt',
      'response_mode=query.jwt returns the code in a JWT',
      'form_post.jwt posts the signed response',
    ],
    [
      '2.3.2',
      'fragment.jwt',
      notOffered('only the code flow exists, whose parameters go to the query'),
      'contains the error: response_mode=fragment.jwt',
    ],
    [
      '2.3.4',
      'jwt is query.jwt for the response type code',
      'response_mode=jwt returns the code in a JWT in the query',
    ],
    [
      '3',
      'The algorithm is the one that the client is registered for',
      'is replaced by an error page if the server cannot sign with the registered algorithm (JARM §3)',
      'a client that is not registered for signed responses is refused response_mode=jwt (JARM §3)',
    ],
    ['4', 'The metadata lists modes and algorithms', 'discovery lists the modes and the algorithms (JARM §4)'],
  ],
}
