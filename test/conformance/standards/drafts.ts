import { clientsDuty, hostsTls, notOffered, type Standard } from './standard.ts'

/** The requirements of the ID-JAG draft for the server that issues and for the one that accepts. */
export const idJag: Standard = {
  name: 'ID-JAG',
  title: 'Identity Assertion JWT Authorization Grant (draft 06, October 2026)',
  address: 'https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/',
  requirements: [
    [
      '3.1',
      'The typ is oauth-id-jag+jwt; iss, sub, aud, client_id, jti, exp and iat are present',
      'an ID-JAG for another authorization server > names the user, the client there, and what an administrator has permitted (ID-JAG §3.1, §4.3.4)',
      'with the typ of a JWT, for an ID-JAG (RFC 8725 §3.11)',
      'with no identifier (RFC 7523 §3, ID-JAG §4.4.1)',
    ],
    ['4.3', 'requested_token_type and audience are required', 'an ID-JAG is refused > for no server (ID-JAG §4.3.3)'],
    [
      '4.3.3',
      'The subject token is validated, and was issued to this client',
      'for an access token, an ID token of another client, an expired one, and text (RFC 8693 §2.2.2)',
    ],
    [
      '4.3.3',
      'A policy decides about the client, the user, the server, and the scope',
      'an ID-JAG is refused > for a client that no administrator has permitted anything (ID-JAG §4.3.3)',
      'an ID-JAG is refused > for another server (ID-JAG §4.3.3)',
      'an ID-JAG is refused > for other scope values (ID-JAG §4.3.3)',
    ],
    [
      '4.3.4',
      'issued_token_type names it, token_type is N_A, and scope says what differs',
      'an ID-JAG for another authorization server > names the user, the client there, and what an administrator has permitted (ID-JAG §3.1, §4.3.4)',
      'has the requested part, and its audience may be written with a slash (RFC 3986 §6.2.3)',
    ],
    [
      '4.4.1',
      'typ is checked',
      'with no typ, for an ID-JAG (RFC 8725 §3.11)',
      'with the typ of an access token, for an ID-JAG (RFC 8725 §3.11)',
    ],
    [
      '4.4.1',
      'aud is the issuer of this server, and nothing else',
      'with two audiences (RFC 7523 §3, ID-JAG §4.4.1)',
      'with the token endpoint as audience (RFC 7523 §3, ID-JAG §4.4.1)',
    ],
    [
      '4.4.1',
      'client_id is the client that authenticates',
      'with another client (RFC 7523 §3, ID-JAG §4.4.1)',
      'if another client presents it, or a client that its issuer may not use (ID-JAG §4.4.1)',
    ],
    [
      '4.4.1',
      'scope is processed as RFC 6749 demands',
      'gives an access token for the user with this externalId, with the scope values that all permit (ID-JAG §4.4)',
      'gives no scope value if it names none (ID-JAG §3.1)',
    ],
    [
      '4.4.1',
      'A restriction that is not understood is refused',
      'with an unknown kind of key (RFC 7523 §3, ID-JAG §4.4.1)',
      'with authorization details (RFC 7523 §3, ID-JAG §4.4.1)',
    ],
    [
      '4.4.3',
      'No refresh token: the client presents an assertion again',
      'can be presented again until it expires, ten times a minute (ID-JAG §4.4.3)',
    ],
    [
      '5',
      'The user is named as the other server knows them',
      'names the user as the other server knows them from sign-in (ID-JAG §5)',
    ],
    [
      '6.1',
      'A tenant tells connections with the same issuer apart',
      'is refused if two directories have its issuer and its tenant, and accepted if the tenants differ (ID-JAG §6.1)',
    ],
    [
      '7.1',
      'The metadata lists the token type',
      'an ID-JAG for another authorization server > is listed in discovery with the option (ID-JAG §7.1)',
    ],
    ['9.1', 'Only confidential clients use it', 'if the client is public (ID-JAG §9.1)'],
    [
      '9.4',
      'A server issues no token for an ID-JAG of its own',
      'with this server as issuer (RFC 7523 §3, ID-JAG §4.4.1)',
      'an ID-JAG is refused > for this server (ID-JAG §4.3.3)',
    ],
    [
      '9.8.1',
      'A bound ID-JAG is presented with a proof of its key',
      'binds the token to the key of the proof, which must be the key of the ID-JAG (ID-JAG §9.8.1)',
      'with a key without a proof (RFC 7523 §3, ID-JAG §4.4.1)',
    ],
    ['4.3', 'SAML assertions as subject', notOffered('this server neither issues nor reads SAML')],
  ],
}

/** The requirements of the Client ID Metadata Document draft for an authorization server. */
export const clientIdMetadataDocument: Standard = {
  name: 'Client ID Metadata Document',
  title: 'OAuth Client ID Metadata Document (draft)',
  address: 'https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/',
  requirements: [
    [
      '3',
      'The identifier is an https URL with a path, and without user information, dot segments and fragment',
      'when its client_id is https://cli.test/ (Client ID Metadata Document §3)',
      'when its client_id is https://user@cli.test/a (Client ID Metadata Document §3)',
      'when its client_id is https://cli.test/a/../b (Client ID Metadata Document §3)',
      'when its client_id is https://cli.test/a#b (Client ID Metadata Document §3)',
      'when its client_id is not a valid https URL: http://cli.test/a',
    ],
    [
      '3',
      'Identifiers are compared character by character',
      'when its client_id is https://CLI.test/a (Client ID Metadata Document §3)',
      'when its client_id is https://cli.test:443/a (Client ID Metadata Document §3)',
    ],
    [
      '3',
      'A port is allowed',
      {
        verdict: 'deviation',
        why: 'a stranger could make the server connect to any port of a host; a host allows an origin by dangerouslyAllowOutbound',
      },
    ],
    ['4', 'client_id in the document is the URL', 'is refused when its URL returns a document with another client_id'],
    [
      '4',
      'The document is JSON, with status 200',
      'is refused when its URL returns HTML',
      'is refused when its URL returns status 204',
    ],
    [
      '4.1',
      'No secret, no method with a shared secret, and no private key',
      'refuses a document with a secret (Client ID Metadata Document §4.1)',
      'is refused when its URL returns a document whose authentication method needs a shared secret',
      'is refused when its URL returns a document with a private key',
    ],
    [
      '4.2',
      'Redirect URIs are in the document and match exactly',
      'may not redirect to http://127.0.0.1:49152/cb/ if its metadata contains http://127.0.0.1/cb (RFC 8252 §7.3)',
    ],
    [
      '5',
      'Redirects are not followed; another status is an error',
      'is refused when its URL returns a redirect',
      'is refused as withdrawn after status …',
    ],
    [
      '5.1',
      'A request whose document cannot be read fails',
      'is unavailable after status 500',
      'is unavailable after a broken connection',
    ],
    [
      '5.2',
      'Errors and malformed documents are not cached as documents',
      'is refused when its URL returns HTML, and its URL is read again after ten seconds',
    ],
    [
      '5.2',
      'The cache headers are respected, within limits',
      'is cached with max-age=600 for … seconds (Client ID Metadata Document §5.2)',
      'is not cached with no-store (RFC 9111 §5.2.2.5)',
    ],
    [
      '6',
      'The metadata says that documents are read',
      'discovery says whether the server accepts metadata documents (Client ID Metadata Document §6)',
    ],
    [
      '7.1',
      'Identifiers that the server makes are no https URLs',
      'refuses a client_id that is the URL of a metadata document (Client ID Metadata Document §3)',
    ],
    [
      '8.2',
      'A client with private_key_jwt authenticates with a key of its document',
      'a client that has a metadata document and pushes its request > authenticates with a key of its document (RFC 7523 §3)',
    ],
    ['8.4', 'The user sees the host of the client', 'is shown to users with its host name in ASCII (RFC 5891 §4.4)'],
    [
      '8.5',
      'No address for special use is fetched, for the document or for what it names',
      'when its client_id is https://192.0.2.1/a (Client ID Metadata Document §3)',
      'may have its document at https://127.0.0.1:25037/client.json only if dangerouslyAllowOutbound has the origin',
    ],
    ['8.6', 'The size is limited', 'is refused when its URL returns a document of more than 5 KiB'],
  ],
}

/** The requirements of the Global Token Revocation draft, as identity providers use it for Universal Logout. */
export const globalTokenRevocation: Standard = {
  name: 'Global Token Revocation',
  title: 'Global Token Revocation (draft-parecki-oauth-global-token-revocation-06), Universal Logout',
  address: 'https://datatracker.ietf.org/doc/draft-parecki-oauth-global-token-revocation/',
  requirements: [
    ['3.1', 'The endpoint has TLS', hostsTls],
    [
      '3.2',
      'The request is authenticated',
      'rejects a request without credentials, or at a provider without keys, as at an unknown provider (RFC 6750 §3.1)',
      'rejects a token that is not for this URL, of this issuer, in time, or signed by its keys (RFC 7519 §4.1)',
    ],
    [
      '3.2',
      'The body is JSON with one subject identifier of RFC 9493',
      'signs a user out everywhere, found by sub, externalId or e-mail address, and keeps the user active (RFC 9493 §3.2)',
      'rejects a subject that is malformed, or given twice, with 400 (RFC 9493 §3)',
    ],
    [
      '3.3',
      'All refresh tokens of the user are revoked, and access tokens too',
      'Universal Logout revokes everything in the same request > rejects every token and code from before, and accepts those from a new sign-in',
    ],
    [
      '3.3',
      'No token is issued until the user signs in again',
      'Universal Logout revokes everything in the same request > rejects every token and code from before, and accepts those from a new sign-in',
      'leaves no usable token when it races with refreshes',
    ],
    [
      '3.4',
      'Success is 204; errors are 400, 401, 403, 404 and 422',
      'rejects a provider that is disabled, and signs nobody out',
      'answers 404 for users of others, unknown users and addresses that are not verified (RFC 9110 §15.5.5)',
      'answers 422 for a user whom the host protects, and 429 beyond the limit (RFC 6585 §4)',
    ],
    [
      '6.1',
      'A caller reaches only users of its own',
      'does not touch another user of the provider',
      'answers 404 for users of others, unknown users and addresses that are not verified (RFC 9110 §15.5.5)',
    ],
    [
      '5',
      'The metadata names the endpoint',
      notOffered('each directory has an address of its own, which the administrator enters at the identity provider'),
    ],
    ['3.2', 'Whoever calls protects its key', clientsDuty],
  ],
}
