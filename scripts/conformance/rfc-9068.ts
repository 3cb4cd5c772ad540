import { clientsDuty, notOffered, rfc, type Standard } from './standard.ts'

/** What RFC 9068 asks of an authorization server, and of the resource servers that receive its tokens. */
export const rfc9068: Standard = {
  name: 'RFC 9068',
  title: 'JWT Profile for Access Tokens',
  address: rfc(9068),
  requirements: [
    [
      '2.1',
      'Access tokens are signed, and not with none',
      'RFC 8725 §3.1: alg none, HMAC with the public key, another key and a key in the header are refused',
    ],
    [
      '2.1',
      'RS256 is there for servers and resource servers',
      'RFC 7518 §3.1: a server that signs with',
      'stored keys > RFC 7518 §3.1: signs with the key that it publishes',
    ],
    ['2.1', 'typ is at+jwt', 'RFC 9068 §2: typ at+jwt'],
    [
      '2.2',
      'iss, exp, aud, sub, client_id, iat and jti are there',
      'RFC 9068 §2: typ at+jwt, with iss, exp, aud, sub, client_id, iat and jti',
    ],
    [
      '2.2.1',
      'What is said of the sign-in stays the same in tokens that a refresh brings',
      'RFC 9068 §2.2.1: the new access token says of the sign-in what the first one said',
    ],
    [
      '2.2.3',
      'scope is there when it was asked for, and says what is granted',
      'RFC 6749 §3.3, §5.1: scope is case-sensitive',
      'RFC 9068 §2.2.3: a token without scope may do what needs none',
    ],
    [
      '3',
      'With a resource, aud is that resource; without, a default',
      'RFC 9068 §3: with a resource the token is for it alone',
      'RFC 8707 §2: without a resource, the default audience and every scope',
    ],
    [
      '3',
      'Each scope means the same wherever the token goes',
      'RFC 8707 §2.2: scopes of other resources stay behind, those about the person go along',
    ],
    [
      '4',
      'The resource server refuses another typ',
      'a forged or malformed JWT at an API > RFC 9068 §4: typ',
      'RFC 9068 §5: an ID token is no access token',
    ],
    ['4', 'Encrypted access tokens', notOffered('access tokens are signed, and their readers decrypt nothing')],
    [
      '4',
      'It refuses another iss',
      'refuses an issuer with a slash at its end, which no token has',
      'tokens of another issuer, of another kind, and such as have ended are none',
    ],
    [
      '4',
      'It refuses an aud that does not name it',
      'RFC 9068 §4: 401 invalid_token for a token of another API',
      'ATK-275 an aud with this API among others is accepted',
    ],
    [
      '4',
      'It verifies the signature with the keys of the server, and takes no none',
      'RFC 7517 §5: has its keys by name, each with its one algorithm',
      'a forged or malformed JWT at an API > ATK-262',
      'a forged or malformed JWT at an API > ATK-265',
    ],
    [
      '4',
      'It refuses a token that has expired',
      'RFC 7519 §4.1.4: exp long past',
      'RFC 7519 §4.1.4: clocks may be ten seconds apart',
    ],
    ['4', 'What is refused is 401 invalid_token', 'RFC 6750 §3.1: 401 invalid_token for a token that is not good'],
    [
      '5',
      'No client takes on the name of a person',
      'RFC 9700 §4.15: a client never bears the identifier of an account',
      'RFC 9068 §5: an account with the identifier of a client',
    ],
    [
      '5',
      'ID tokens and access tokens are not taken for one another',
      'RFC 9068 §5: an access token is no hint',
      'ATK-248 an ID token',
    ],
    ['6', 'The client does not look into the token', clientsDuty],
  ],
}
