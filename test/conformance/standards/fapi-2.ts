import { hostsTls, type Standard } from './standard.ts'

/** The requirements of FAPI 2.0 for an authorization server and a resource server, with the modules of its certification plan. */
export const fapiSecurityProfile: Standard = {
  name: 'FAPI 2.0 SP',
  title: 'FAPI 2.0 Security Profile',
  address: 'https://openid.net/specs/fapi-security-profile-2_0-final.html',
  requirements: [
    ['5.2.1', 'TLS 1.2 or later with the recommended ciphers', hostsTls],
    ['5.3.2.1', 'The server publishes its metadata', 'has the members that the test plans require'],
    [
      '5.3.2.1',
      'Only confidential clients that authenticate by mutual TLS or private_key_jwt',
      'a client whose stored registration contradicts its profile fapi2 gets nothing',
      'a request with no assertion is refused',
      'a refresh without client authentication is refused',
    ],
    [
      '5.3.2.1',
      'Access tokens are bound by DPoP or mutual TLS',
      'a request with state and nonce gets tokens',
      'gets no bearer token (FAPI 2.0 SP §5.3.2.1)',
      'a code without a DPoP proof or certificate is refused',
    ],
    [
      '5.3.2.1',
      'A code can be bound to a DPoP key when it is requested',
      'a code that is bound by dpop_jkt is redeemed',
    ],
    [
      '5.3.2.1',
      'The audience of an assertion is the issuer, as a string',
      'one with a list as aud is refused',
      'one with the token endpoint as aud is refused',
      'one with the endpoint for pushed requests as aud is refused',
    ],
    [
      '5.3.2.1',
      'Refresh tokens do not rotate',
      'keeps the same refresh token, however often and late it refreshes (FAPI 2.0 SP §5.3.2.1)',
      'a refresh token works again after half a minute',
    ],
    [
      '5.3.2.1',
      'JWTs dated up to 10 seconds ahead are accepted, and JWTs dated more than 60 seconds ahead are not',
      'one dated eight seconds ahead is accepted',
      'one from more than 60 seconds ahead is refused',
      'a proof from ten seconds ahead is accepted at every endpoint',
    ],
    ['5.3.2.1', 'No open redirector', 'a pushed request with a redirect URI that is not registered is refused'],
    [
      '5.3.2.2',
      'The response type is code',
      'a pushed request with the response type code id_token',
      'a pushed request with the response type token',
    ],
    [
      '5.3.2.2',
      'Requests are pushed by authenticated clients',
      'a request that was not pushed is refused',
      'a request with no assertion is refused',
    ],
    [
      '5.3.2.2',
      'PKCE with S256',
      'a pushed request with no code challenge',
      'a pushed request with the code challenge method plain',
      'a missing and a wrong code verifier are refused',
    ],
    ['5.3.2.2', 'The pushed request has a redirect URI', 'a pushed request with no redirect URI is refused'],
    ['5.3.2.2', 'Responses name the issuer', 'a request with state and nonce gets tokens'],
    ['5.3.2.2', 'A code lives for at most 60 seconds', 'a code that is 62 seconds old is refused'],
    ['5.3.2.2', 'A used code is refused', 'a code that was used a second ago is refused'],
    [
      '5.3.2.2',
      'A request_uri lives for less than 600 seconds, and is used once',
      'a request_uri that was used, has expired or is of another client is refused',
      'a request_uri can be visited again before the user has signed in',
    ],
    ['5.3.2.2', 'A nonce of 64 characters is supported', 'a request with a nonce of 64 characters'],
    [
      '5.3.4',
      'A resource server takes tokens only from the header, and checks what they are bound to',
      'an access token in the query is refused',
      'an access token with the key of another client is refused',
      'two proofs, a string that is not a JWT, and a used proof are refused',
    ],
    [
      '5.3.4',
      'A resource server verifies the validity, integrity, expiration and revocation status of tokens',
      'refuses a revoked token, by introspection (FAPI 2.0 SP §5.3.4)',
      'refuses a revoked token, by the revocation feed (FAPI 2.0 SP §5.3.4)',
      'the example API refuses a token that was revoked before it expired (FAPI 2.0 SP §5.3.4)',
    ],
    [
      '5.4.1',
      'JWTs are signed with PS256, ES256 or EdDSA',
      'one signed with RS256 is refused',
      'one with alg none is refused',
    ],
  ],
}

/** What FAPI 2.0 Message Signing adds, with the modules of its certification plan. */
export const fapiMessageSigning: Standard = {
  name: 'FAPI 2.0 MS',
  title: 'FAPI 2.0 Message Signing',
  address: 'https://openid.net/specs/fapi-message-signing-2_0-final.html',
  requirements: [
    ['5.3.1', 'Requests are signed, and pushed', 'a pushed request that is not signed is refused'],
    [
      '5.3.1',
      'aud is the issuer, or a list that contains it',
      'with a list as aud gets a signed response and tokens',
      'one with another aud is refused when',
    ],
    [
      '5.3.1',
      'nbf is required, and is at most an hour in the past',
      'one without nbf is refused',
      'one whose nbf is more than an hour ago',
    ],
    [
      '5.3.1',
      'exp is required, and is at most an hour in the future',
      'one without exp is refused',
      'one that expires in more than an hour',
    ],
    [
      '5.3.1',
      'The signature is checked with a permitted algorithm',
      'one signed with RS256 is refused when it is pushed',
      'one with alg none, a wrong signature, or signed by another client is refused when it is pushed',
    ],
    [
      '5.3.1',
      'Only the parameters in the request object are used',
      'takes state and nonce only from the request object',
    ],
    [
      '5.4',
      'Responses, including errors, are signed when the client asks for it',
      'as usual gets a signed response and tokens',
      'contains an error of the request as well',
      'contains the denial of the user',
    ],
    [
      '5.5',
      'Introspection responses can be signed',
      'a client that is registered for ES256 gets ES256, and JSON when it asks for JSON (RFC 9701 §6)',
    ],
  ],
}
