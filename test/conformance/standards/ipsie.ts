import { clientsDuty, hostsTls, outside, type Standard } from './standard.ts'

/** The requirements of IPSIE SL1 for an OpenID Provider, and those of the Common Requirements that it includes. */
export const ipsieOpenid: Standard = {
  name: 'IPSIE SL1',
  title: 'IPSIE SL1 OpenID Connect Profile (draft of 2 September 2025)',
  address: 'https://openid.github.io/ipsie-openid-sl1/draft-openid-ipsie-sl1-profile.html',
  requirements: [
    ['3.1', 'TLS 1.2 or later with the recommended ciphers', hostsTls],
    ['3.1', 'JWTs are signed with PS256, ES256 or EdDSA', 'is rejected with RS256 (IPSIE SL1 §3.2.1)'],
    [
      '3.1',
      'Encryption of assertions is offered',
      'gets userinfo that is signed, then encrypted with A128CBC-HS256 by default (OIDC Core §5.3.2)',
    ],
    [
      '3.2.1',
      'Assertions of clients name the issuer as a string',
      'is rejected with the token endpoint as audience (IPSIE SL1 §3.2.1)',
      'one with a list as aud is refused',
    ],
    [
      '3.2.1',
      'Public clients are supported',
      'has one audience as a string, acr, amr, auth_time and session_expiry (IPSIE SL1 §3.2.1)',
    ],
    [
      '3.2.1',
      'Clients are registered in advance',
      'is rejected for a client that no administrator has registered (IPSIE SL1 §3.2.1)',
    ],
    [
      '3.2.1',
      'Access tokens are only for identity claims at the provider',
      'gets an access token for the claims at this server and nothing else (IPSIE SL1 §3.2.1)',
      'is refused if it names an API (IPSIE SL1 §3.2.1)',
    ],
    [
      '3.2.1',
      'The ID token has one audience as a string, acr, amr, auth_time and session_expiry',
      'has one audience as a string, acr, amr, auth_time and session_expiry (IPSIE SL1 §3.2.1)',
      'keeps session_expiry when it is refreshed (IPSIE SL1 §3.2.1)',
      'is not issued without acr: the user signs in again, and then the request fails (IPSIE SL1 §3.2.1)',
      'is not issued for a session that has ended (IPSIE SL1 §3.2.1)',
    ],
    ['3.2.1', 'The response type is code', 'is refused with the response type token (IPSIE SL1 §3.2.1)'],
    ['3.2.1', 'PKCE with S256', 'is refused with no PKCE challenge (IPSIE SL1 §3.2.1)'],
    [
      '3.2.1',
      'Redirect URIs are registered and match exactly',
      'which is not exactly the registered redirect URI (IPSIE SL1 §3.2.1)',
    ],
    [
      '3.2.1',
      'Redirect URIs do not use http',
      'is rejected with a redirect URI with http on loopback (IPSIE SL1 §3.2.1)',
    ],
    [
      '3.2.1',
      'Responses name the issuer; a code works once and lives for at most 60 seconds',
      'is answered with the issuer, and its code works once and for 60 seconds (IPSIE SL1 §3.2.1)',
    ],
    ['3.2.1', 'No redirect with 307', 'every redirect is a 303, even after a form with credentials (RFC 9700 §4.12)'],
    ['3.2.1', 'A nonce of 64 characters is supported', 'with a nonce of 64 characters gets it back (IPSIE SL1 §3.2.1)'],
    [
      '3.2.1',
      'max_age is supported',
      'with max_age makes a user who signed in before sign in again (IPSIE SL1 §3.2.1)',
    ],
    ['3.2.2', 'What relying parties do', clientsDuty],
  ],
}

/** The requirements of the SCIM profile of IPSIE for an Application, levels AL1 and AL2. */
export const ipsieScim: Standard = {
  name: 'IPSIE SCIM',
  title: 'IPSIE SCIM 2.0 Profile, AL1 and AL2 (draft 00, June 2026)',
  address: 'https://jischr.github.io/scim-ipsie-profiles/draft-schreiber-ipsie-scim-profile.html',
  requirements: [
    [
      '4.1',
      'Client credentials with a client assertion',
      'a directory without a secret authenticates with a token that its client got with a key',
    ],
    [
      '4.1',
      'HTTP Basic, and no client credentials in the body',
      {
        verdict: 'deviation',
        why: 'a client assertion is a parameter of the body, and a request must not use two methods (RFC 7521 §4.2, RFC 6749 §2.3)',
      },
    ],
    ['4.1', 'The token has the scope scim and no other', 'the token has the scope scim and no other, and expires'],
    ['4.1', 'Metadata of RFC 8414', 'the metadata names the token endpoint and the key set (RFC 8414 §2)'],
    ['4.2', 'Nobody changes users or groups outside of SCIM', outside('a duty of the host')],
    [
      '4.3',
      'Rate limits with 429 and Retry-After',
      'a request beyond the limit changes nothing and is a SCIM error with Retry-After (RFC 6585 §4)',
    ],
    [
      '4.3',
      'At least 25 requests a second; Bulk',
      'by default a directory may send 25 requests in a second, and Bulk is offered',
    ],
    [
      '4.3',
      'A PATCH may change several attributes',
      'one PATCH changes several attributes, deactivates and reactivates',
    ],
    [
      '5.1',
      'A deactivation revokes sessions and tokens, and can be undone',
      'deactivating a user revokes everything at once, and reactivation restores nothing issued before',
      'one PATCH changes several attributes, deactivates and reactivates',
    ],
    ['5.2', 'After a removal, the userName is free', 'after a removal, another user may have the same userName'],
    [
      '6.1.1',
      'userName, displayName, active, externalId',
      'the schema has userName, displayName and active, and no password',
    ],
    ['6.1.2', 'No password', 'a password is refused, and no user is created'],
    ['6.1.7', 'Four filters for users', 'the four filters find a user'],
    ['6.2', 'Groups may be empty; three filters', 'a group may have no members, and the three filters find it'],
    ['6.2.6', 'At least 50 operations on members in a PATCH', 'one PATCH has 50 operations on members'],
    ['8', 'Access tokens expire', 'is refused after it has expired'],
    [
      'AL3',
      'The directory assigns roles of the application (no profile has a text yet)',
      'a role that a directory gives is in the next token, and revokes nothing (RFC 9068 §2.2.3)',
      'roles without a rule are reported once, and give nothing',
    ],
  ],
}
