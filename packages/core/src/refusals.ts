// Over 250 lines: one table of all refusals of the authorization server.
import {
  StorageUnavailableError,
  type DurationSeconds,
  type JsonValue,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'

import { SealingKeyError } from './sealing-key-error.ts'

const clientFailed = 'Client authentication failed.'
const codeInvalid = 'The authorization code is not valid.'
const assertionInvalid = 'The assertion is not valid.'
const deviceCodeInvalid = 'The device code is not valid.'
const authReqIdInvalid = 'The auth_req_id is not valid.'
const refreshTokenInvalid = 'The refresh token is not valid.'
const proofInvalid = 'The DPoP proof is not valid.'
const accessTokenInvalid = 'The access token is not valid.'
const notApproved = 'The request was not approved.'
const notRegistered = 'The application that sent you here is not registered with this service.'
const requestObjectInvalid = 'The request object is not signed by the client as it is registered.'
const unsupported = 'The request uses a parameter that is not supported.'

/**
 * Every refusal of the authorization server: the reason, for operators and tests; the error code and the fixed sentence
 * that the client receives; and the section of the standard that requires it. The sentence is printable ASCII without
 * quotes and backslashes (RFC 6749 §5.2) and contains nothing of the request. Several reasons share a code and a
 * sentence wherever telling them apart would help an attacker. A reason with two responses has two rows:
 * `client_unknown` and `client_unknown:page`.
 */
export const refusals = {
  // Path, method and size of any request.
  /** No endpoint has this path. */
  path_not_found: ['not_found', 'This path does not exist.', 'RFC 9110 §15.5.5'],
  /** The endpoint does not accept this method. */
  method_not_allowed: ['invalid_request', 'This endpoint does not accept this method.', 'RFC 9110 §15.5.6', 405],
  /** The request body is larger than the limit of the endpoint. There is no event for this refusal. */
  message_too_large: ['invalid_request', 'The request body is too large.', 'RFC 9110 §15.5.14', 413],

  /** The process works on as many requests as `maxConcurrentRequests` allows. */
  server_busy: ['temporarily_unavailable', 'The service is busy. Try again shortly.', 'RFC 9110 §15.6.4', 503],

  // Parameters of any request.
  /** The body is not a form (`application/x-www-form-urlencoded`) in UTF-8. */
  body_not_a_form: ['invalid_request', 'The body must be application/x-www-form-urlencoded.', 'RFC 6749 §3.2'],
  /** There are too many parameters, or their percent-encoding is broken. */
  parameters_malformed: ['invalid_request', 'The parameters are malformed, or there are too many.', 'RFC 6749 §5.2'],
  /** The request has a parameter twice. */
  parameter_repeated: ['invalid_request', 'A parameter is repeated.', 'RFC 6749 §3.1, §3.2'],
  /** A parameter is longer than the server accepts. */
  parameter_too_long: ['invalid_request', 'A parameter is too long.', 'RFC 6749 §4.1.2.1'],
  /** The request has no `token`. */
  token_missing: ['invalid_request', 'The token parameter is missing.', 'RFC 7009 §2.1, RFC 7662 §2.1'],

  // Client authentication. Most failures have the same response, so that an attacker cannot tell them apart.
  /** The request does not identify its client. */
  client_authentication_missing: ['invalid_client', clientFailed, 'RFC 6749 §3.2.1'],
  /** The client uses two authentication methods in one request. */
  client_authentication_twice: ['invalid_request', 'Use only one client authentication method.', 'RFC 6749 §2.3'],
  /**
   * The client signed the assertion, but the audience of the assertion is not this server. The context has the received
   * audience and the expected audiences.
   */
  client_assertion_audience: ['invalid_client', clientFailed, 'RFC 7523 §3'],
  /**
   * The platform of the client signed the assertion, but for another workload. The context has the first claim that
   * differs, with the received and the registered value.
   */
  client_workload_wrong: ['invalid_client', clientFailed, 'RFC 7523 §3'],
  /** The client does not use the authentication method that it is registered for. */
  client_authentication_method: ['invalid_client', clientFailed, 'OIDC Registration §2'],
  /** The secret or the assertion does not belong to the client, or has expired. */
  client_credentials_wrong: ['invalid_client', clientFailed, 'RFC 6749 §5.2'],
  /** The attestation of the client's instance is genuine, but has expired, or its time is in the future. */
  attestation_expired: [
    'use_fresh_attestation',
    'Send a new client attestation.',
    'Attestation-Based Client Authentication §7.4',
  ],
  /** The client must authenticate with a certificate, but the request has no certificate that the server can read. */
  client_certificate_missing: ['invalid_client', clientFailed, 'RFC 8705 §2'],
  /**
   * The certificate has expired, does not have the registered name, is not in the key set, or was issued by a
   * certificate authority that is not trusted.
   */
  client_certificate_wrong: ['invalid_client', clientFailed, 'RFC 8705 §2.1, §2.2'],
  /** The client is disabled. */
  client_disabled: ['invalid_client', clientFailed, 'RFC 6749 §5.2'],
  /** The registration of the client contradicts its security profile, or the server's `minimumProfile`. */
  profile_contradicted: [
    'unauthorized_client',
    'The registration of the client does not meet the required security profile.',
    'FAPI 2.0 SP §5.3.2',
  ],
  /** No client has this identifier. */
  client_unknown: ['invalid_client', clientFailed, 'RFC 6749 §5.2'],
  /** The client is public, and the endpoint is only for clients that authenticate. */
  client_public: ['invalid_client', clientFailed, 'RFC 7662 §2.1'],
  /** A public client requests a token for itself. */
  'client_public:grant': ['unauthorized_client', 'A public client cannot act for itself.', 'RFC 6749 §4.4'],
  /** The credentials do not belong to the client that `client_id` names. */
  client_id_contradicted: ['invalid_request', 'The request identifies two different clients.', 'RFC 6749 §2.3.1'],
  /** The assertion does not belong to the client that `client_id` names. */
  'client_id_contradicted:assertion': ['invalid_client', clientFailed, 'RFC 7521 §4.2.1'],
  /** Too many attempts to authenticate as this client have failed. */
  client_throttled: ['temporarily_unavailable', 'Too many failed attempts. Try again later.', 'RFC 6749 §2.3.1', 429],
  /** The client requests the revocation feed, but it is not a resource server. */
  client_serves_no_audience: [
    'unauthorized_client',
    'The client is not registered as a resource server.',
    'RFC 6749 §5.2',
  ],

  // Token exchange.
  /** No rule of the option `tokenExchange` is for the client. */
  exchange_not_permitted: ['unauthorized_client', 'The client may not exchange tokens.', 'RFC 8693 §2.2.2'],
  /** The request asks for another type of token than an access token, or for authorization details. */
  exchange_unsupported: ['invalid_request', 'Only access tokens without details are issued.', 'RFC 8693 §2.2.2'],
  /** The `subject_token` is missing, has a type that no rule permits, is not active, or has no user. */
  subject_token_invalid: ['invalid_request', 'The subject token is not valid.', 'RFC 8693 §2.2.2'],
  /** The `actor_token` is not an active access token that the client holds for itself, or its type is missing. */
  actor_token_invalid: ['invalid_request', 'The actor token is not valid.', 'RFC 8693 §2.2.2'],
  /** The subject token names another party in `may_act`, or was issued neither to the client nor for an API that it serves. */
  exchange_without_standing: ['access_denied', 'The exchange was refused.', 'RFC 8693 §5', 400],
  /** The subject token is bound to a key that the client did not prove. */
  exchange_binding: ['access_denied', 'The exchange was refused.', 'RFC 9449 §1', 400],
  /** The subject token has too many exchanges behind it. */
  exchange_too_deep: ['access_denied', 'The exchange was refused.', 'RFC 8693 §4.1', 400],
  /** The option `tokenExchange.decide` refused. */
  exchange_refused: ['access_denied', 'The exchange was refused.', 'RFC 8693 §2.2.2', 400],
  /** No rule permits the client to get tokens for the named APIs, or the request names none of several. */
  exchange_target: ['invalid_target', 'The client may not exchange tokens for this target.', 'RFC 8693 §2.2.2'],

  // The client and the redirect URI of an authorization request. Their errors are shown on a local page.
  /** The authorization request does not identify its client. */
  client_id_missing: ['invalid_request', 'The client_id parameter is missing.', 'RFC 6749 §4.1.1'],
  /** The authorization request has more than one `client_id`. */
  client_id_repeated: ['invalid_request', 'The client_id parameter is repeated.', 'RFC 6749 §3.1'],
  /** The authorization request is from a client that does not exist. */
  'client_unknown:page': ['invalid_request', notRegistered, 'RFC 6749 §4.1.2.1'],
  /** The authorization request is from a disabled client. */
  'client_disabled:page': ['invalid_request', notRegistered, 'RFC 6749 §4.1.2.1'],
  /** The `client_id` is a URL that cannot identify a metadata document, or that the host does not allow. */
  client_document_not_allowed: ['invalid_request', notRegistered, 'Client ID Metadata Document §3'],
  /**
   * The client's metadata document is not valid, describes another client, or contains metadata that only registered
   * clients may have.
   */
  client_document_invalid: [
    'invalid_request',
    'The metadata document of the application cannot be used.',
    'Client ID Metadata Document §4',
  ],
  /** The client's metadata document no longer exists. */
  client_document_withdrawn: ['invalid_request', notRegistered, 'Client ID Metadata Document §5'],
  /** The `client_id` has the form of open registration, but this server did not issue it. */
  client_id_forged: ['invalid_request', notRegistered, 'RFC 7591 §5'],
  /** The option `openRegistration` does not allow any redirect URI of the client any more. */
  client_redirects_not_allowed: ['invalid_request', notRegistered, 'RFC 7591 §5'],
  /** The client has no valid logo, or the logo cannot be fetched at the moment. */
  client_logo_unavailable: ['not_found', 'The logo is not available.', 'RFC 9110 §15.5.5'],
  /** The client's metadata document could not be read, and the server has no recent copy. */
  client_document_unavailable: [
    'temporarily_unavailable',
    'The metadata document of the application cannot be read at the moment. Try again later.',
    'Client ID Metadata Document §5',
    503,
  ],
  /** The key set at the client's `jwks_uri` could not be read, so nothing that the client signed can be verified. */
  client_keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the application cannot be read at the moment. Try again later.',
    'RFC 6749 §5.2, RFC 9110 §15.6.4',
    503,
  ],
  /** Too many metadata documents were requested, from one host or in total. */
  client_documents_throttled: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 6585 §4', 429],
  /** The client's metadata document changed while the user signed in. */
  client_document_changed: [
    'invalid_request',
    'The application changed while you signed in. Start again.',
    'Client ID Metadata Document §8.3',
  ],
  /** The request has no `redirect_uri`. */
  redirect_uri_missing: ['invalid_request', 'The redirect_uri parameter is missing.', 'OIDC Core §3.1.2.1'],
  /** The request has more than one `redirect_uri`. */
  redirect_uri_repeated: ['invalid_request', 'The redirect_uri parameter is repeated.', 'RFC 6749 §3.1'],
  /** The redirect URI is not registered for the client. */
  redirect_uri_mismatch: [
    'invalid_request',
    'The application requested a redirect to an address that is not registered for it.',
    'RFC 6749 §3.1.2.4',
  ],

  // The rest of an authorization request. Its errors are sent to the redirect URI.
  /** The authorization request has no `response_type`. */
  response_type_missing: ['invalid_request', 'The response_type parameter is missing.', 'RFC 6749 §4.1.2.1'],
  /** The `response_type` is not `code`. */
  response_type_unsupported: [
    'unsupported_response_type',
    'The only supported response_type is code.',
    'RFC 9700 §2.1.2',
  ],
  /** The `response_mode` is not supported. */
  response_mode_unknown: [
    'invalid_request',
    'This response_mode is not supported.',
    'OAuth 2.0 Multiple Response Type Encoding Practices §2.1',
  ],
  /** The `request` parameter is not supported. */
  'parameter_unsupported:request': ['request_not_supported', unsupported, 'OIDC Core §3.1.2.6'],
  /** The `request_uri` parameter is not supported. */
  'parameter_unsupported:request_uri': ['request_uri_not_supported', unsupported, 'OIDC Core §3.1.2.6'],
  /** The `registration` parameter is not supported. */
  'parameter_unsupported:registration': ['registration_not_supported', unsupported, 'OIDC Core §3.1.2.6'],
  /** The `scope` contains characters that a scope value must not have. */
  scope_malformed: ['invalid_scope', 'The scope parameter is malformed.', 'RFC 6749 §3.3'],
  /** The request has no scope value that the server knows. */
  scope_missing: ['invalid_scope', 'Request at least one scope that this server supports.', 'RFC 6749 §3.3'],
  /**
   * The client is registered for none of the requested scope values, or not for the requested `openid`; or it is not
   * registered for one of them, and its security profile requires that a request is granted completely.
   */
  scope_not_allowed: [
    'invalid_scope',
    'The client is not registered for a requested scope.',
    'RFC 6749 §4.1.2.1, §5.2',
  ],
  /**
   * The request has no `resource`, which the security profile of the client or the server's `minimumProfile` requires.
   */
  resource_missing: [
    'invalid_target',
    'The resource parameter is missing: name the API that the token is for.',
    'RFC 8707 §2, MCP 2026-07-28 Authorization',
  ],
  /** The server does not know a requested resource. */
  resource_unknown: ['invalid_target', 'A requested resource is not known to this server.', 'RFC 8707 §2'],
  /** The client is not registered for a requested resource, or for any of the scope values of the resource. */
  resource_not_registered: ['invalid_target', 'The client is not registered for a requested resource.', 'RFC 8707 §2'],
  /** The request has scope values of APIs, but a requested resource defines none of them. */
  resource_without_scope: [
    'invalid_target',
    'A requested resource does not define any of the requested scope values.',
    'RFC 8707 §2',
  ],
  /** The server no longer has a resource that was granted, or the client may no longer use it. */
  'resource_unknown:granted': [
    'invalid_target',
    'The granted resource is no longer available to this client.',
    'RFC 8707 §2.2',
  ],
  /**
   * The authorization request has no PKCE challenge, and the client is public, attested or registered with
   * `requirePkce`.
   */
  code_challenge_missing: ['invalid_request', 'PKCE is required: code_challenge is missing.', 'RFC 7636 §4.4.1'],
  /** The challenge method is not S256. */
  code_challenge_method: ['invalid_request', 'PKCE is required with code_challenge_method S256.', 'RFC 7636 §4.3'],
  /** The `code_challenge` is not a SHA-256 hash. */
  code_challenge_malformed: ['invalid_request', 'The code_challenge is not a base64url SHA-256 hash.', 'RFC 7636 §4.2'],
  /** The `claims` parameter is not the JSON object that the standard describes. */
  claims_malformed: ['invalid_request', 'The claims parameter is malformed.', 'OIDC Core §5.5'],
  /** The `prompt` has an unknown value, or contradicts itself. */
  prompt_invalid: ['invalid_request', 'The prompt parameter is not valid.', 'OIDC Core §3.1.2.1'],
  /** The `max_age` is not a number of seconds. */
  max_age_invalid: ['invalid_request', 'The max_age parameter is not a number of seconds.', 'OIDC Core §3.1.2.1'],
  /** The `id_token_hint` is not an ID token of this server. */
  id_token_hint_invalid: [
    'invalid_request',
    'The id_token_hint is not an ID token of this server.',
    'OIDC Core §3.1.2.1',
  ],
  /** The `id_token_hint` and the requested `sub` claim identify different users, or no user. */
  no_user_matches: [
    'login_required',
    'No user matches the id_token_hint and the requested sub claim.',
    'OIDC Core §5.5.1',
  ],
  /** No user is signed in, and `prompt=none` forbids a sign-in page. */
  login_required: [
    'login_required',
    'No user is signed in, and prompt=none does not allow a sign-in page.',
    'OIDC Core §3.1.2.6',
  ],
  /** Consent is needed, and `prompt=none` forbids a consent page. */
  consent_required: [
    'consent_required',
    'Consent is required, and prompt=none does not allow a consent page.',
    'OIDC Core §3.1.2.6',
  ],
  /** The sign-in does not have any of the authentication contexts that the request requires. */
  acr_unmet: [
    'unmet_authentication_requirements',
    'The sign-in does not meet the requested authentication requirements.',
    'OIDC Core §5.5.1.1',
  ],

  /**
   * The host does not say how the user has just signed in, or when the session ends, which the profile `ipsie_sl1`
   * requires. The context names the missing members of `SignedIn`: `acr`, `amr` or `expiresAt`.
   */
  authentication_context_missing: ['server_error', 'The server encountered an internal error.', 'IPSIE SL1 §3.2.1'],

  // Pushed authorization requests.
  /** The pushed request has a `request_uri`. */
  request_uri_pushed: [
    'invalid_request',
    'A pushed authorization request must not contain request_uri.',
    'RFC 9126 §2.1',
  ],
  /** The request was not pushed, but the client or the server requires pushed requests. */
  push_required: ['invalid_request', 'Authorization requests must be pushed.', 'RFC 9126 §5, §6'],
  /** The `request_uri` was never issued, has expired, or belongs to another client. */
  request_uri_unknown: [
    'invalid_request_uri',
    'This sign-in has expired, or the application did not start it here.',
    'RFC 9126 §2.2',
  ],
  /** A code was already issued for the pushed request. */
  request_uri_used: ['invalid_request_uri', 'This sign-in was already completed.', 'RFC 9126 §4'],
  /** This client, or all clients together, pushed too many requests. */
  pushes_throttled: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 9126 §2.3', 429],

  // Request objects. The errors of a request object that is not verified are shown on a local page. Once its signature is
  // verified, the sender is the client, and the sentence says what is wrong.
  /**
   * The request object is not signed by the client, uses an algorithm that the client may not use, or is another kind
   * of JWT.
   */
  request_object_unverified: ['invalid_request_object', requestObjectInvalid, 'RFC 9101 §4, §10.2'],
  /** The `iss` of the request object is missing, or is not the client. */
  request_object_issuer: [
    'invalid_request_object',
    'The iss of the request object must be the client_id.',
    'RFC 9101 §4',
  ],
  /** The `aud` of the request object is missing, or does not contain this server's issuer. */
  request_object_audience: [
    'invalid_request_object',
    'The aud of the request object must contain the issuer of this server.',
    'RFC 9101 §4',
  ],
  /** The request object has no `exp`, or it is not a number. */
  request_object_expiry_missing: [
    'invalid_request_object',
    'The request object must have exp, a number of seconds.',
    'RFC 9101 §10.2',
  ],
  /** The request object has expired. */
  request_object_expired: ['invalid_request_object', 'The request object has expired.', 'RFC 9101 §10.2'],
  /** The `nbf` or `iat` of the request object is in the future: one of the clocks is wrong. */
  request_object_early: [
    'invalid_request_object',
    'The nbf or iat of the request object is in the future.',
    'RFC 7519 §4.1.5',
  ],
  /** The client's profile requires `nbf`, and the request object has none. */
  request_object_start_missing: [
    'invalid_request_object',
    'The request object must have nbf, a number of seconds.',
    'FAPI 2.0 MS §5.3.1',
  ],
  /** The `nbf` of the request object is longer ago than the client's profile allows. */
  request_object_old: [
    'invalid_request_object',
    'The nbf of the request object is too long ago.',
    'FAPI 2.0 MS §5.3.1',
  ],
  /** The request object is valid for longer than the client's profile allows: `exp` is too long after `nbf`. */
  request_object_long_lived: [
    'invalid_request_object',
    'The exp of the request object is too long after its nbf.',
    'FAPI 2.0 MS §5.3.1',
  ],
  /** The `client_id` or `response_type` in the request object differs from the same parameter outside of it. */
  request_object_contradicted: [
    'invalid_request_object',
    'A parameter differs inside and outside of the request object.',
    'RFC 9101 §5, OIDC Core §6.1',
  ],
  /**
   * The request object contains another request object, a subject, a parameter of a wrong type, or text that is not
   * well-formed Unicode.
   */
  request_object_member: [
    'invalid_request_object',
    'The request object has a member that is not permitted or malformed.',
    'RFC 9101 §4, §10.8',
  ],
  /** The client must sign its requests, and this one is not signed. */
  request_object_required: ['invalid_request', 'Authorization requests must be signed.', 'RFC 9101 §10.5'],

  // Interactions: the pages of the host on which a user signs in and consents.
  /** The interaction is unknown, has expired, or belongs to another browser. */
  interaction_unknown: [
    'invalid_request',
    'This sign-in has ended or expired, or it was started in another browser.',
    'RFC 9700 §4.7',
  ],
  /** The interaction was already completed. */
  interaction_completed: ['invalid_request', 'This sign-in was already completed.', 'RFC 6749 §4.1.2'],
  /** Too many interactions were started, in this browser, for this client or in total. */
  interactions_throttled: [
    'temporarily_unavailable',
    'Too many sign-ins were started. Try again later.',
    'RFC 6749 §4.1.2.1',
    429,
  ],
  /** Too many forms were sent to the sign-in page of one interaction. */
  sign_in_throttled: ['temporarily_unavailable', 'Too many sign-in attempts. Try again later.', 'RFC 6749 §10.10', 429],
  /** Too many codes were issued to one client for one user. */
  codes_throttled: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 6749 §4.1.2.1'],
  /** The request does not fit into the URL of the sign-in page, or into the `request_uri` of a public client. */
  request_too_large: ['invalid_request', 'The authorization request is too large.', 'RFC 6749 §4.1.2.1'],
  /** A script or a prefetch sent the request; no browser window navigated to it. */
  not_a_navigation: ['invalid_request', 'Open this page in a browser window.', 'RFC 6749 §3.1'],
  /** A form was sent from another site. */
  cross_site_post: ['access_denied', 'This form was not sent from this site.', 'RFC 9700 §4.7'],
  /** The user denied the request. */
  user_denied: ['access_denied', notApproved, 'RFC 6749 §4.1.2.1'],
  /** The user who signed in is deactivated. */
  user_inactive: ['access_denied', notApproved, 'RFC 6749 §4.1.2.1'],
  /** The error page tells the user that the account is deactivated. The client is not informed. */
  'user_inactive:page': [
    'access_denied',
    'Your account is deactivated. Ask your administrator for access.',
    'RFC 6749 §4.1.2.1',
  ],
  /** The host signed in a user who is not in storage. */
  user_unknown: ['access_denied', notApproved, 'RFC 6749 §4.1.2.1'],

  // Requests of devices (RFC 8628), and the pages on which a user approves them.
  /** Too many requests of devices were made, for one client or in total. */
  device_requests_throttled: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 8628 §5.6', 429],
  /** No free user code was found: too many requests wait for a decision. */
  user_codes_exhausted: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 8628 §5.1', 503],
  /** A request of a device has a parameter that only authorization requests may have. */
  device_parameter_unsupported: ['invalid_request', unsupported, 'RFC 8628 §3.1'],
  /** The browser that confirms a code did not get the page that asks for the confirmation. */
  device_confirmation_unknown: [
    'invalid_request',
    'This page has expired, or it was opened in another browser. Enter the code again.',
    'RFC 8628 §5.4',
  ],
  /** The request was decided in another window, or has expired. */
  request_ended: [
    'invalid_request',
    'This request has expired or was already answered. Start again where it came from.',
    'RFC 8628 §3.3, CIBA Core 1.0 §7.3',
  ],

  // Backchannel authentication requests (CIBA), in which the client names the user.
  /** A public client makes the request. It cannot prove who it is. */
  'client_public:ciba': [
    'unauthorized_client',
    'A public client cannot make backchannel authentication requests.',
    'CIBA Core 1.0 §7.1',
  ],
  /** The client is registered for the delivery mode `ping`, but the storage keeps no deliveries. */
  ping_unavailable: [
    'unauthorized_client',
    'This server does not send notifications. Register the client for polling.',
    'CIBA Core 1.0 §4',
  ],
  /** The client made too many requests, or asked this user too often. */
  backchannel_requests_throttled: [
    'temporarily_unavailable',
    'Too many requests. Try again later.',
    'CIBA Core 1.0 §15',
    429,
  ],
  /** The client is registered for signed requests, and this one is not signed. */
  'request_object_required:ciba': ['invalid_request', 'The request must be signed.', 'CIBA Core 1.0 §7.1.1'],
  /** The request is signed, but the client is not registered with an algorithm for signed requests. */
  signed_request_unregistered: [
    'invalid_request',
    'The client is not registered for signed requests.',
    'CIBA Core 1.0 §4',
  ],
  /** A parameter is outside of the signed request, where anybody could have added it. */
  parameter_outside_request: [
    'invalid_request',
    'Every parameter must be in the signed request.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The signed request is not signed by the client with its registered algorithm, or is another kind of JWT. */
  'request_object_unverified:ciba': [
    'invalid_request',
    'The request is not signed by the client as it is registered.',
    'CIBA Core 1.0 §7.1.1, §13',
  ],
  /** The `iss` of the signed request is missing, or is not the client. */
  'request_object_issuer:ciba': [
    'invalid_request',
    'The iss of the signed request must be the client_id.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The `aud` of the signed request is missing, or does not contain this server's issuer. */
  'request_object_audience:ciba': [
    'invalid_request',
    'The aud of the signed request must contain the issuer of this server.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The signed request has no `exp`, or it is not a number. */
  'request_object_expiry_missing:ciba': [
    'invalid_request',
    'The signed request must have exp, a number of seconds.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The signed request has expired. */
  'request_object_expired:ciba': ['invalid_request', 'The signed request has expired.', 'CIBA Core 1.0 §7.1.1'],
  /** The `nbf` or `iat` of the signed request is in the future: one of the clocks is wrong. */
  'request_object_early:ciba': [
    'invalid_request',
    'The nbf or iat of the signed request is in the future.',
    'RFC 7519 §4.1.5',
  ],
  /** The signed request has no `nbf`. */
  'request_object_start_missing:ciba': [
    'invalid_request',
    'The signed request must have nbf, a number of seconds.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The `nbf` of the signed request is longer than an hour ago. */
  'request_object_old:ciba': ['invalid_request', 'The nbf of the signed request is too long ago.', 'FAPI-CIBA §5.2.2'],
  /** The signed request is valid for more than an hour: `exp` is too long after `nbf`. */
  'request_object_long_lived:ciba': [
    'invalid_request',
    'The exp of the signed request is too long after its nbf.',
    'FAPI-CIBA §5.2.2',
  ],
  /** The signed request lacks `iat` or `jti`, or has a member that is not permitted or malformed. */
  'request_object_member:ciba': [
    'invalid_request',
    'The signed request lacks a member, or has one that is not permitted or malformed.',
    'CIBA Core 1.0 §7.1.1',
  ],
  /** The scope values do not contain `openid`, or the client is not registered for it. */
  openid_missing: ['invalid_request', 'The scope must contain openid.', 'CIBA Core 1.0 §7.1'],
  /** The request names no user, or names one in several ways. */
  user_hint_count: [
    'invalid_request',
    'Send exactly one of login_hint, login_hint_token and id_token_hint.',
    'CIBA Core 1.0 §7.1',
  ],
  /** `ciba.findUser` said that the `login_hint_token` has expired. */
  login_hint_token_expired: ['expired_login_hint_token', 'The login_hint_token has expired.', 'CIBA Core 1.0 §13'],
  /** There is no user whom the hint could mean. */
  hinted_user_unknown: ['unknown_user_id', 'The user cannot be identified.', 'CIBA Core 1.0 §13'],
  /** The user whom the hint means is deactivated. The client must not learn that. */
  hinted_user_inactive: ['unknown_user_id', 'The user cannot be identified.', 'CIBA Core 1.0 §13'],
  /** The user needs a code, and the request has none. */
  backchannel_user_code_missing: ['missing_user_code', 'The user_code is missing.', 'CIBA Core 1.0 §13'],
  /** `ciba.verifyUserCode` refused the code of the user. */
  backchannel_user_code_wrong: ['invalid_user_code', 'The user_code is not valid.', 'CIBA Core 1.0 §13'],
  /** The `binding_message` is longer than 64 characters, or has characters that cannot be shown everywhere. */
  binding_message_invalid: [
    'invalid_binding_message',
    'The binding_message must be one line of at most 64 visible characters.',
    'CIBA Core 1.0 §13',
  ],
  /** The client's profile requires something by which the user recognizes the request. */
  binding_message_missing: [
    'invalid_binding_message',
    'The request needs a binding_message or authorization_details.',
    'FAPI-CIBA §5.2.2',
  ],
  /** The `requested_expiry` is not a positive whole number. */
  requested_expiry_invalid: [
    'invalid_request',
    'The requested_expiry must be a positive whole number of seconds.',
    'CIBA Core 1.0 §7.1',
  ],
  /** The client is registered for the delivery mode `ping`, and the request has no notification token. */
  notification_token_missing: ['invalid_request', 'The client_notification_token is missing.', 'CIBA Core 1.0 §7.1'],
  /** The notification token is not a bearer token of 22 to 1024 characters, or is easy to guess. */
  notification_token_invalid: [
    'invalid_request',
    'The client_notification_token must be a bearer token of 22 to 1024 characters, with at least 128 random bits.',
    'CIBA Core 1.0 §7.1',
  ],
  /** `ciba.askUser` failed, so that the user does not know of the request, which has ended. The `cause` has the error. */
  ask_failed: ['server_error', 'The server encountered an internal error.', 'RFC 6749 §4.1.2.1'],

  // Logout requests. The page that reports one of these errors offers to sign out.
  /** The `id_token_hint` of a logout request is not an ID token of this server, or its signing key was dropped. */
  logout_hint_invalid: [
    'invalid_request',
    'The id_token_hint is not an ID token of this server.',
    'RP-Initiated Logout §2',
  ],
  /** The `id_token_hint` of a logout request was not issued to the client that `client_id` names. */
  'client_id_contradicted:logout': [
    'invalid_request',
    'The request identifies two different clients.',
    'RP-Initiated Logout §2',
  ],
  /** The request has a `post_logout_redirect_uri`, and neither an `id_token_hint` nor a `client_id`. */
  logout_client_missing: [
    'invalid_request',
    'The request has neither an id_token_hint nor a client_id, so it cannot lead back to the application.',
    'RP-Initiated Logout §3',
  ],
  /** The `post_logout_redirect_uri` is not registered for the client. */
  logout_return_unregistered: [
    'invalid_request',
    'The application requested a redirect to an address that is not registered for it.',
    'RP-Initiated Logout §3',
  ],
  /** Too many logout requests were sent by one browser. */
  logouts_throttled: ['temporarily_unavailable', 'Too many requests. Try again later.', 'RFC 6585 §4', 429],

  // Token requests.
  /** The token request has no `grant_type`. */
  grant_type_missing: ['invalid_request', 'The grant_type parameter is missing.', 'RFC 6749 §5.2'],
  /** The grant type is not supported. */
  grant_type_unknown: ['unsupported_grant_type', 'This grant type is not supported.', 'RFC 6749 §5.2'],
  /** The client is not registered for the grant type. */
  grant_type_not_registered: [
    'unauthorized_client',
    'The client is not registered for this grant type.',
    'RFC 6749 §4.1.2.1, §5.2',
  ],
  /** A grant type of the host refused the request. The host may choose another error code and add a `cause`. */
  grant_refused: ['invalid_grant', 'The grant is not valid.', 'RFC 6749 §5.2'],
  /** The token request has no `code`. */
  code_missing: ['invalid_request', 'The code parameter is missing.', 'RFC 6749 §4.1.3'],
  /** The code has expired, belongs to another client, or was never issued. */
  code_unknown: ['invalid_grant', codeInvalid, 'RFC 6749 §5.2'],
  /** The code was already redeemed. Its token family is now revoked. */
  code_replayed: ['invalid_grant', codeInvalid, 'RFC 6749 §4.1.2'],
  /** Storage returned the code without one of its members: the store has a defect. */
  code_incomplete: ['invalid_grant', codeInvalid, 'RFC 6749 §4.1.2'],
  /** Storage returned the code without its challenge or its method: the store has a defect. */
  code_challenge_lost: ['invalid_grant', codeInvalid, 'RFC 7636 §4.4'],
  /** The code was requested without PKCE, which has become mandatory for the client since then. */
  code_challenge_required: ['invalid_grant', codeInvalid, 'RFC 9700 §2.1.1'],
  /** The `code_verifier` does not match the `code_challenge`. */
  code_verifier_mismatch: ['invalid_grant', codeInvalid, 'RFC 7636 §4.6'],
  /** The code was requested with PKCE, but the token request has no verifier. */
  code_verifier_missing: ['invalid_grant', codeInvalid, 'RFC 7636 §4.6'],
  /**
   * The code was requested without PKCE, but the token request has a verifier: an attacker may have removed the
   * challenge.
   */
  code_verifier_unexpected: ['invalid_grant', codeInvalid, 'RFC 9700 §4.8.2'],
  /** The redirect URI differs from the redirect URI of the authorization request. */
  'redirect_uri_mismatch:code': ['invalid_grant', codeInvalid, 'RFC 6749 §4.1.3'],
  /** The grant, the user or the client that the code belongs to is not active. */
  grant_inactive: ['invalid_grant', codeInvalid, 'RFC 6749 §5.2'],
  /** The host used the `sessionId` of one user for another user. Give each sign-in a new `sessionId`. */
  session_of_another_user: [
    'server_error',
    'The server encountered an internal error.',
    'OIDC Front-Channel Logout 1.0 §3',
  ],
  /** The client's metadata document changed after the user consented. */
  'client_document_changed:code': ['invalid_grant', codeInvalid, 'Client ID Metadata Document §8.3'],
  /** The session in which the code was issued has ended. */
  session_ended: ['invalid_grant', codeInvalid, 'OIDC Back-Channel Logout 1.0 §2.7'],

  // Assertions of other issuers about users.
  /** A public client presents an assertion. */
  'client_public:assertion': ['unauthorized_client', 'A public client cannot present an assertion.', 'ID-JAG §9.1'],
  /** The token request has no `assertion`. */
  assertion_missing: ['invalid_request', 'The assertion parameter is missing.', 'RFC 7523 §2.1'],
  /** The token request asks for authorization details. */
  assertion_unsupported: ['invalid_request', 'Only access tokens without details are issued.', 'RFC 9396 §6'],
  /** Nobody has registered the issuer, its claim `tenant` has another value, or this server has issued the assertion itself. */
  assertion_issuer_unknown: ['invalid_grant', assertionInvalid, 'RFC 7521 §5.2, ID-JAG §9.3'],
  /** Several enabled directories have the issuer, and the same tenant. */
  assertion_issuer_ambiguous: ['invalid_grant', assertionInvalid, 'RFC 7521 §5.2'],
  /** The directory that has the issuer is disabled. */
  assertion_issuer_disabled: ['invalid_grant', assertionInvalid, 'RFC 7521 §5.2'],
  /** The assertion is for another client, or the client may not present assertions of the issuer. */
  assertion_client: ['invalid_grant', assertionInvalid, 'ID-JAG §4.4.1'],
  /** The assertion is no JWT, or no key of the issuer has signed it. */
  assertion_invalid: ['invalid_grant', assertionInvalid, 'RFC 7523 §3'],
  /** The assertion is another kind of JWT, by its `typ`. */
  assertion_type: ['invalid_grant', assertionInvalid, 'RFC 8725 §3.11, ID-JAG §4.4.1'],
  /** The audience of the assertion is not this server alone. */
  assertion_audience: ['invalid_grant', assertionInvalid, 'RFC 7523 §3, ID-JAG §4.4.1'],
  /** The assertion has expired, is valid for too long or without end, or its times are in the future. */
  assertion_expired: ['invalid_grant', assertionInvalid, 'RFC 7523 §3'],
  /** The assertion is bound to a key that the client did not prove, or in a way that is not known. */
  assertion_key: ['invalid_grant', assertionInvalid, 'ID-JAG §9.8'],
  /** The assertion grants authorization details. */
  assertion_details: ['invalid_grant', assertionInvalid, 'RFC 9396 §6'],
  /** A claim of the assertion is missing, or has another type. */
  assertion_malformed: ['invalid_grant', assertionInvalid, 'RFC 7523 §3, ID-JAG §3.1'],
  /** The issuer has no user here that the assertion names. */
  assertion_subject_unknown: ['invalid_grant', assertionInvalid, 'RFC 7523 §3'],
  /** The user is not active. */
  assertion_subject_inactive: ['invalid_grant', assertionInvalid, 'RFC 6749 §5.2'],
  /** The client's metadata document changed while the request was in progress. */
  'client_document_changed:assertion': ['invalid_grant', assertionInvalid, 'Client ID Metadata Document §8.3'],
  /** The assertion was used before. */
  assertion_replayed: ['invalid_grant', assertionInvalid, 'RFC 7523 §3'],
  /** The assertion names no API, or one that the issuer may not give access to. */
  assertion_target: ['invalid_target', 'The assertion does not permit this resource.', 'RFC 8707 §2, ID-JAG §4.4.1'],
  /** The client has presented the same assertion too often within a minute. */
  assertion_throttled: [
    'temporarily_unavailable',
    'The assertion was presented too often. Try again later.',
    'RFC 6585 §4',
    429,
  ],
  /** The key set of the issuer could not be fetched. */
  assertion_keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the issuer cannot be read at the moment. Try again later.',
    'RFC 9110 §15.6.4',
    503,
  ],

  /** The token request has no `device_code`. */
  device_code_missing: ['invalid_request', 'The device_code parameter is missing.', 'RFC 8628 §3.4'],
  /** The device code belongs to another client, was never issued, or has been expired for long. */
  device_code_unknown: ['invalid_grant', deviceCodeInvalid, 'RFC 8628 §3.5, RFC 6749 §5.2'],
  /** Storage returned the request of a device without one of its members: the store has a defect. */
  device_code_incomplete: ['invalid_grant', deviceCodeInvalid, 'RFC 6749 §5.2'],
  /** The device code was already redeemed. Its token family is now revoked. */
  device_code_replayed: ['invalid_grant', deviceCodeInvalid, 'RFC 6749 §4.1.2'],
  /** The DPoP proof is made with another key than the proof of the device authorization request. */
  device_code_key_mismatch: ['invalid_grant', deviceCodeInvalid, 'RFC 9449 §5'],
  /** No user has decided yet. */
  authorization_pending: ['authorization_pending', 'The user has not decided yet.', 'RFC 8628 §3.5'],
  /** The client polls more often than the interval allows. The interval is five seconds longer now. */
  polled_too_early: ['slow_down', 'Poll less often: the interval is longer now.', 'RFC 8628 §3.5'],
  /** Nobody decided in time. */
  device_code_expired: ['expired_token', 'The device code has expired.', 'RFC 8628 §3.5'],
  /** The user denied the request of the device. */
  'user_denied:device': ['access_denied', notApproved, 'RFC 8628 §3.5', 400],
  /** The user approved the request of the device, but the grant, the user or the client is not active any more. */
  'grant_inactive:device': ['access_denied', notApproved, 'RFC 8628 §3.5', 400],
  /** The client's metadata document changed after the user approved the request of the device. */
  'client_document_changed:device': ['access_denied', notApproved, 'Client ID Metadata Document §8.3', 400],
  /** The session in which the user approved the request of the device has ended. */
  'session_ended:device': ['access_denied', notApproved, 'OIDC Back-Channel Logout 1.0 §2.7', 400],
  /** The token request has no `auth_req_id`. */
  auth_req_id_missing: ['invalid_request', 'The auth_req_id parameter is missing.', 'CIBA Core 1.0 §10.1'],
  /** The `auth_req_id` belongs to another client, was never issued, or has been expired for long. */
  auth_req_id_unknown: ['invalid_grant', authReqIdInvalid, 'CIBA Core 1.0 §11, RFC 6749 §5.2'],
  /** Storage returned a backchannel request without one of its members: the store has a defect. */
  auth_req_id_incomplete: ['invalid_grant', authReqIdInvalid, 'RFC 6749 §5.2'],
  /** The `auth_req_id` was already redeemed. Its token family is now revoked. */
  auth_req_id_replayed: ['invalid_grant', authReqIdInvalid, 'RFC 6749 §4.1.2'],
  /** The DPoP proof is made with another key than the proof of the backchannel authentication request. */
  auth_req_id_key_mismatch: ['invalid_grant', authReqIdInvalid, 'RFC 9449 §5'],
  /** Nobody decided in time. */
  auth_req_id_expired: ['expired_token', 'The auth_req_id has expired.', 'CIBA Core 1.0 §11'],
  /** The user denied the request. */
  'user_denied:ciba': ['access_denied', notApproved, 'CIBA Core 1.0 §11', 400],
  /** The grant, the user or the client is not active any more; the user may have been deactivated before they decided. */
  'grant_inactive:ciba': ['access_denied', notApproved, 'CIBA Core 1.0 §11', 400],
  /** The registration of the client changed after the user approved the request. */
  'client_document_changed:ciba': ['access_denied', notApproved, 'Client ID Metadata Document §8.3', 400],
  /** The session in which the user approved the request has ended. */
  'session_ended:ciba': ['access_denied', notApproved, 'OIDC Back-Channel Logout 1.0 §2.7', 400],
  /** The token request has no `refresh_token`. */
  refresh_token_missing: ['invalid_request', 'The refresh_token parameter is missing.', 'RFC 6749 §6'],
  /** The refresh token has expired, belongs to another client, was revoked, or was never issued. */
  refresh_token_unknown: ['invalid_grant', refreshTokenInvalid, 'RFC 6749 §5.2'],
  /**
   * The refresh token was used twice, so one of the two senders may have stolen it. Its token family is now revoked.
   */
  refresh_token_reused: ['invalid_grant', refreshTokenInvalid, 'RFC 9700 §4.14.2'],
  /**
   * The request asks only for scope values that were not granted; or for one of them, and the security profile of the
   * client requires that a request is granted completely.
   */
  scope_not_granted: ['invalid_scope', 'A requested scope was not granted.', 'RFC 6749 §6'],
  /** The request asks for a resource that was not granted. */
  resource_not_granted: ['invalid_target', 'A requested resource was not granted.', 'RFC 8707 §2.2'],
  /** The user has the same identifier as the client. The host must give the user another identifier. */
  user_id_equals_client_id: ['invalid_grant', 'The account cannot be used with this client.', 'RFC 9068 §5'],
  /** The client is registered for a signing algorithm that the server has no key for. */
  signing_algorithm_unavailable: [
    'unauthorized_client',
    'The client is registered for a signing algorithm that this server does not use.',
    'OIDC Registration §2',
  ],
  /** The client is registered for encrypted responses, but has no usable key with `use` `enc` for the algorithm. */
  encryption_key_missing: [
    'unauthorized_client',
    'The client is registered for encrypted responses, but has no usable encryption key.',
    'OIDC Core §10.2',
  ],

  // Proof of possession (DPoP).
  /** The request has no DPoP proof, but the client must use DPoP, or the code or token is bound to a key. */
  dpop_proof_missing: ['invalid_dpop_proof', 'A DPoP proof is required.', 'RFC 9449 §5, §7'],
  /** The request has more than one DPoP header, or the header is not a DPoP proof with a public key. */
  dpop_proof_malformed: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §4.3'],
  /** The signature of the proof was not made with the key in its header. */
  dpop_signature: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §4.3'],
  /** The proof is for another method or URL. Check that the client uses the public URL of the issuer. */
  dpop_target: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §4.3'],
  /** The proof is too old or from the future. The clock of the client may be wrong. */
  dpop_time: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §11.1'],
  /** The proof is for another access token, or for no access token. */
  dpop_access_token_hash: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §4.3'],
  /** The proof was used before. */
  dpop_replayed: ['invalid_dpop_proof', proofInvalid, 'RFC 9449 §11.1'],
  /** The proof has no current nonce of this server. The response contains one. */
  dpop_nonce: [
    'use_dpop_nonce',
    'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response.',
    'RFC 9449 §8',
  ],
  /** The code is bound to another key. It is still valid. */
  code_key_mismatch: ['invalid_grant', codeInvalid, 'RFC 9449 §10'],
  /** The refresh token is bound to another key. */
  refresh_token_key_mismatch: ['invalid_grant', refreshTokenInvalid, 'RFC 9449 §5'],
  /** The `dpop_jkt` of the authorization request is not a SHA-256 thumbprint. */
  dpop_jkt_malformed: ['invalid_request', 'The dpop_jkt is not a SHA-256 thumbprint.', 'RFC 9449 §10'],
  /** The `dpop_jkt` of a pushed request is not the thumbprint of the key of its DPoP proof. */
  dpop_jkt_contradicted: [
    'invalid_request',
    'The dpop_jkt is not the thumbprint of the key in the DPoP proof.',
    'RFC 9449 §10.1',
  ],
  /** The access token is bound to a key, but was presented as a bearer token. */
  access_token_bound: ['invalid_token', accessTokenInvalid, 'RFC 9449 §7.2'],
  /**
   * The tokens of the client are bound to its certificate, but the request has no certificate that the server can read.
   */
  certificate_missing: ['invalid_request', 'A client certificate is required.', 'RFC 8705 §3'],
  /** The tokens of the client are bound to its certificate, but the request also has a DPoP proof. */
  certificate_with_proof: [
    'invalid_request',
    'Do not send a DPoP proof: the tokens are bound to the certificate.',
    'RFC 8705 §3',
  ],
  /** The access token is bound to another certificate, or the request has no certificate that the server can read. */
  access_token_certificate_mismatch: ['invalid_token', accessTokenInvalid, 'RFC 8705 §3'],
  /** The access token is not bound to the key of the DPoP proof that it was presented with. */
  access_token_key_mismatch: ['invalid_token', accessTokenInvalid, 'RFC 9449 §7.1'],

  // Access tokens at userinfo, and the revocation feed.
  /** The request has no access token. */
  bearer_missing: ['invalid_token', accessTokenInvalid, 'RFC 6750 §3.1'],
  /** The `Authorization` header does not contain a well-formed access token. */
  bearer_malformed: ['invalid_token', accessTokenInvalid, 'RFC 6750 §2.1'],
  /** The request has more than one access token. */
  bearer_twice: ['invalid_request', 'Send only one access token.', 'RFC 6750 §2'],
  /** The access token is in the query string, which may end up in logs. */
  bearer_in_query: ['invalid_request', 'Do not send access tokens in the query.', 'RFC 9700 §4.3.2'],
  /** The access token was not issued by this server, or has expired. */
  access_token_invalid: ['invalid_token', accessTokenInvalid, 'RFC 6750 §3.1'],
  /** The access token is for another audience. */
  access_token_audience: ['invalid_token', accessTokenInvalid, 'RFC 9068 §4'],
  /** The access token was revoked, or its grant, user or client is not active. */
  access_token_inactive: ['invalid_token', accessTokenInvalid, 'RFC 6750 §3.1'],
  /** The client obtained the access token for itself, so there is no user. */
  access_token_without_user: ['invalid_token', accessTokenInvalid, 'OIDC Core §5.3'],
  /** The access token does not have the scope `openid`. */
  openid_not_granted: ['insufficient_scope', 'The access token needs the scope openid.', 'OIDC Core §5.3'],
  /** The access token does not have the scope `grant_management_query`. */
  grant_query_not_granted: [
    'insufficient_scope',
    'The access token needs the scope grant_management_query.',
    'Grant Management §6.1',
  ],
  /** The access token does not have the scope `grant_management_revoke`. */
  grant_revocation_not_granted: [
    'insufficient_scope',
    'The access token needs the scope grant_management_revoke.',
    'Grant Management §6.1',
  ],
  /** A public client, which cannot prove its identity, requests a grant. */
  'client_public:grants': ['access_denied', 'A public client cannot manage grants.', 'Grant Management §5.1'],
  /**
   * The grant does not exist, is not active, or belongs to another client, or the user of the access token is not the
   * user of the grant.
   */
  grant_unknown: ['invalid_grant_id', 'There is no such grant.', 'Grant Management §6.6'],
  /**
   * The authorization request asks to create, merge or replace a grant. A user has at most one grant for each client.
   */
  grant_action_unsupported: [
    'invalid_request',
    'This grant_management_action is not supported.',
    'Grant Management §5.2',
  ],
  /** The request to the revocation feed has no nonce, or a malformed parameter. */
  feed_question_malformed: [
    'invalid_request',
    'The nonce parameter is missing, or nonce, cursor or wait is malformed.',
    'RFC 6749 §5.2',
  ],

  // Organizations, and the size of access tokens.
  /** The user is not a member of the organization that the request names, or of any organization. */
  organization_not_member: ['access_denied', 'The user is not a member of the organization.', 'RFC 6749 §4.1.2.1'],
  /** The request names an organization without the scope `organization`. */
  organization_without_scope: [
    'invalid_request',
    'The organization parameter needs the scope organization.',
    'RFC 6749 §4.1.2.1',
  ],
  /** The user is no longer a member of the organization that the code or the refresh token is for. */
  organization_left: ['invalid_grant', 'The user is no longer a member of the organization.', 'RFC 6749 §5.2'],
  /** The user lost a role in the organization while the tokens were issued. */
  organization_role_lost: ['invalid_grant', 'The roles of the user have changed.', 'RFC 6749 §5.2'],
  /** The organization that the client belongs to was removed, or the storage has no organizations. */
  organization_removed: ['unauthorized_client', 'The organization of the client does not exist.', 'RFC 6749 §5.2'],
  /** The roles, groups and other claims of the user exceed `accessTokenClaimLimits`. */
  claims_too_large: [
    'invalid_scope',
    'The access token would be too large. Request fewer scopes or resources.',
    'RFC 9068 §2.2.3, RFC 6749 §5.2',
  ],

  // Authorization details.
  /**
   * `authorization_details` is not a JSON array of 1 to 16 objects, is too large or nested too deeply, or has a member
   * twice.
   */
  details_malformed: [
    'invalid_authorization_details',
    'The authorization_details parameter is malformed or too large.',
    'RFC 9396 §5',
  ],
  /** The server does not define the type of an authorization detail. */
  detail_type_unknown: [
    'invalid_authorization_details',
    'A type of authorization details is not supported.',
    'RFC 9396 §5',
  ],
  /** The client is not registered for the type of an authorization detail. */
  detail_type_not_registered: [
    'invalid_authorization_details',
    'The client is not registered for a type of authorization details.',
    'RFC 9396 §5, §10',
  ],
  /** `parse` or `parseGranted` of the type rejected an authorization detail. The `cause` says why. */
  detail_invalid: ['invalid_authorization_details', 'An authorization detail is not valid.', 'RFC 9396 §5'],
  /** An authorization detail is for an API that is not among the requested resources. */
  detail_location_not_requested: [
    'invalid_authorization_details',
    'An authorization detail is for a resource that the request does not name.',
    'RFC 9396 §2.2, §5',
  ],
  /** The token request asks for authorization details that were not granted. */
  detail_not_granted: ['invalid_authorization_details', 'The authorization details were not granted.', 'RFC 9396 §6'],
  /** A client requests authorization details for itself, so no user can grant them. */
  details_without_user: [
    'invalid_authorization_details',
    'Authorization details need a user who grants them.',
    'RFC 9396 §5, §6',
  ],
  /** The host's page completed a request with authorization details without saying which of them the user granted. */
  details_undecided: ['invalid_request', 'The form is incomplete. Go back and try again.', 'RFC 9396 §11.1'],

  // Failures.
  /** The option `claims` failed, or returned a claim that only the server sets. The `cause` has the error. */
  claims_failed: ['server_error', 'The server encountered an internal error.', 'RFC 6749 §4.1.2.1'],
  /**
   * The option `users` failed, took too long, or returned something that is not a user. The `cause` has the error.
   */
  users_unavailable: [
    'temporarily_unavailable',
    'The service is temporarily unavailable. Try again shortly.',
    'RFC 6749 §4.1.2.1',
  ],
  /** Storage does not respond. The `cause` has the error. */
  storage_unavailable: [
    'temporarily_unavailable',
    'The service is temporarily unavailable. Try again shortly.',
    'RFC 6749 §4.1.2.1',
  ],
  /**
   * The stored signing keys were sealed with another sealing key, so the server cannot sign or verify. The `cause`
   * names the keys.
   */
  signing_keys_foreign: [
    'temporarily_unavailable',
    'The service is temporarily unavailable. Try again shortly.',
    'RFC 6749 §4.1.2.1',
  ],
  /** An unexpected error. The `cause` is the error. */
  unexpected_failure: ['server_error', 'The server encountered an internal error.', 'RFC 6749 §4.1.2.1'],
} as const satisfies Record<string, RefusalRow>

/** `status` is set only if it differs from the status of the error code. */
type RefusalRow = readonly [code: OAuthErrorCode, description: string, section: Section, status?: number]

/** A section of a public standard, such as `RFC 6749 §5.2`. */
type Section = `${string} §${string}`

/** A row of the table. */
export type Refusal = keyof typeof refusals

/** Why a request was refused, for operators and tests. It is never sent to a client. */
export type RefusalReason = ReasonOf<Refusal>

type ReasonOf<Row> = Row extends `${infer Reason}:${string}` ? Reason : Row

/** Creates the error to throw for a row of the table. */
export function refuse<Row extends Refusal>(
  row: Row,
  ...[context = {}, { cause, retryAfter, dpopNonce } = {}]: RefusalArguments<Row>
): OAuthError {
  const [code, description, , status]: RefusalRow = refusals[row]
  const [reason] = row.split(':') as [RefusalReason]
  return new OAuthError(code, description, { reason, context, cause, retryAfter, dpopNonce, status })
}

type RefusalArguments<Row extends Refusal> = Row extends keyof RequiredContext
  ? [context: RefusalContext & RequiredContext[Row], options?: RefusalOptions]
  : ReasonOf<Row> extends keyof RequiredContext
    ? [context: RefusalContext & RequiredContext[ReasonOf<Row>], options?: RefusalOptions]
    : [context?: RefusalContext, options?: RefusalOptions]

type RefusalOptions = Pick<OAuthErrorOptions, 'cause' | 'retryAfter' | 'dpopNonce'>

/**
 * What the context must have, by reason or row: the value that was refused, and the values that would have been accepted. The
 * client of the other refusals is added by the endpoint.
 */
interface RequiredContext {
  readonly redirect_uri_mismatch: Required<
    Pick<RefusalContext, 'clientId' | 'requestedRedirectUri' | 'nearestRedirectUri'>
  >
  readonly scope_not_allowed: Required<Pick<RefusalContext, 'clientId' | 'refusedScopes' | 'registeredScopes'>>
  readonly scope_not_granted: Required<Pick<RefusalContext, 'clientId' | 'refusedScopes' | 'grantedScopes'>>
  readonly resource_unknown: Required<Pick<RefusalContext, 'clientId' | 'refusedResources' | 'knownResources'>>
  readonly authentication_context_missing: Required<Pick<RefusalContext, 'clientId' | 'missingMembers'>>
  readonly grant_type_unknown: Required<Pick<RefusalContext, 'clientId' | 'requestedGrantType'>>
  readonly resource_not_registered: Required<Pick<RefusalContext, 'clientId' | 'refusedResources'>>
  readonly client_document_not_allowed: Required<Pick<RefusalContext, 'documentHost'>>
  readonly client_document_invalid: Required<Pick<RefusalContext, 'documentHost' | 'documentFailure'>>
  readonly client_document_unavailable: Required<Pick<RefusalContext, 'documentHost' | 'documentFailure'>>
  readonly client_document_withdrawn: Required<Pick<RefusalContext, 'documentHost'>>
  readonly client_documents_throttled: Required<Pick<RefusalContext, 'documentHost'>>
  readonly token_missing: NamesClient
  readonly client_public: NamesClient
  readonly client_serves_no_audience: NamesClient
  readonly access_token_bound: NamesClient
  readonly access_token_key_mismatch: NamesClient
  readonly access_token_certificate_mismatch: NamesClient
  readonly access_token_audience: Required<
    Pick<RefusalContext, 'clientId' | 'presentedAudience' | 'expectedAudience' | 'familyId'>
  >
  readonly access_token_inactive: Required<Pick<RefusalContext, 'clientId' | 'familyId'>>
  readonly access_token_without_user: NamesClient
  readonly openid_not_granted: Required<Pick<RefusalContext, 'clientId' | 'userId' | 'grantedScopes'>>
  readonly grant_query_not_granted: Required<Pick<RefusalContext, 'clientId' | 'grantedScopes'>>
  readonly grant_revocation_not_granted: Required<Pick<RefusalContext, 'clientId' | 'grantedScopes'>>
  readonly grant_unknown: NamesClient
  readonly 'client_id_contradicted:logout': NamesClient
  readonly logout_client_missing: Required<Pick<RefusalContext, 'requestedRedirectUri'>>
  readonly logout_return_unregistered: Required<
    Pick<RefusalContext, 'clientId' | 'requestedRedirectUri' | 'nearestRedirectUri'>
  >
  readonly logouts_throttled: Required<Pick<RefusalContext, 'userId'>>
}

type NamesClient = Required<Pick<RefusalContext, 'clientId'>>

/** Returns the refusal with the members of the context that it does not have. */
export function withContext(refusal: OAuthError, context: RefusalContext): OAuthError {
  const { code, description, reason, retryAfter, dpopNonce, status, cause } = refusal
  const options = { reason, cause, retryAfter, dpopNonce, status, context: { ...context, ...refusal.context } }
  return new OAuthError(code, description, options)
}

/** Converts any error to a refusal. An internal failure is reported without its message. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  return refuse(failureReason(error), {}, { cause: error })
}

function failureReason(error: unknown): 'storage_unavailable' | 'signing_keys_foreign' | 'unexpected_failure' {
  if (error instanceof StorageUnavailableError) return 'storage_unavailable'
  return error instanceof SealingKeyError ? 'signing_keys_foreign' : 'unexpected_failure'
}

/** What a refusal is about, as far as the server knows. It contains no secret. */
export interface RefusalContext {
  /** A client that exists. Any other string that was presented as `client_id` may be a secret, and is left out. */
  readonly clientId?: string | undefined
  /**
   * With reason `client_authentication_method`: the method that the client used, and the method that it is registered
   * for.
   */
  readonly presentedMethod?: TokenEndpointAuthMethod | undefined
  readonly registeredMethod?: TokenEndpointAuthMethod | undefined
  /**
   * With reasons `client_assertion_audience` and `access_token_audience`: the `aud` of the assertion or token, and the
   * values that are accepted.
   */
  readonly presentedAudience?: JsonValue | undefined
  readonly expectedAudience?: readonly string[] | undefined
  /** With reason `client_workload_wrong`: the claim that differs, and the received and the registered value. */
  readonly workload?:
    { readonly claim: string; readonly presented: JsonValue; readonly expected: JsonValue } | undefined
  /**
   * With reason `redirect_uri_mismatch`, and with the reasons about the return from a sign-out: the requested URI without its query, and the most similar registered one, if
   * the client has any.
   */
  readonly requestedRedirectUri?: string | undefined
  readonly nearestRedirectUri?: string | undefined
  /**
   * With the reasons about scopes: at most 20 of the refused values, and the values of the client, or of its grant or
   * token.
   */
  readonly refusedScopes?: readonly string[] | undefined
  /** The members of `SignedIn` that the host left out. */
  readonly missingMembers?: readonly string[] | undefined
  readonly grantedScopes?: readonly string[] | undefined
  readonly registeredScopes?: readonly string[] | undefined
  /**
   * With reasons `resource_unknown` and `resource_not_registered`: at most 20 of the refused resources, without their
   * queries, and of the resources of the server.
   */
  readonly refusedResources?: readonly string[] | undefined
  readonly knownResources?: readonly string[] | undefined
  /** With the reasons about grant types: the requested one, at most 100 characters. */
  readonly requestedGrantType?: string | undefined
  /** With the reasons that begin with `client_document`: the host of the metadata document. */
  readonly documentHost?: string | undefined
  /** What was wrong with the document, such as `unreachable`, `not_public`, `too_large` or `http_404`. */
  readonly documentFailure?: string | undefined
  /**
   * With the reasons that begin with `assertion`: the issuer, which is only claimed with reason `assertion_issuer_unknown`, its
   * directory, and the `jti` and `sub` of a verified assertion.
   */
  readonly assertion?:
    | {
        readonly issuer: string | null
        readonly providerId?: string | undefined
        readonly tokenId?: string
        readonly subject?: string
      }
    | undefined
  readonly userId?: string | undefined
  readonly familyId?: string | undefined
}

/** Returns a URI for the log: without credentials, query and fragment, which may contain secrets. */
export const withoutSecrets = (uri: string): string =>
  uri
    .replace(/[?#].*$/s, '')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
    .slice(0, 300)

interface OAuthErrorOptions {
  readonly reason: RefusalReason
  readonly cause?: unknown
  readonly context?: RefusalContext
  readonly retryAfter?: DurationSeconds | undefined
  readonly dpopNonce?: string | undefined
  /** The HTTP status, when it is not the status of the error code. */
  readonly status?: number | undefined
}

/**
 * A refusal with an OAuth error code. `code` and `description` are sent to the client; `reason` is for events and
 * tests. Grant types of a host create it with the reason `grant_refused` and a fixed description that contains nothing
 * of the request.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly description: string
  readonly reason: RefusalReason
  /** For events only. */
  readonly context: RefusalContext
  /**
   * Set when the client sent too many requests, or something cannot be read at the moment: how long to wait before the
   * next request (RFC 6585 §4, RFC 9110 §10.2.3).
   */
  readonly retryAfter: DurationSeconds | undefined
  /** The nonce to send in the header `DPoP-Nonce` (RFC 9449 §8). */
  readonly dpopNonce: string | undefined
  /** The HTTP status, unless the error is sent by redirect (RFC 6749 §5.2, RFC 6750 §3.1, RFC 6585 §4). */
  readonly status: number

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions) {
    super(`${code}: ${description}`, { cause: options.cause })
    this.code = code
    this.description = description
    this.reason = options.reason
    this.context = options.context ?? {}
    this.retryAfter = options.retryAfter
    this.dpopNonce = options.dpopNonce
    this.status = options.status ?? (options.retryAfter === undefined ? statuses[code] : 429)
  }
}

const statuses = {
  access_denied: 403,
  account_selection_required: 400,
  consent_required: 400,
  insufficient_scope: 403,
  interaction_required: 400,
  invalid_authorization_details: 400,
  invalid_client: 401,
  invalid_dpop_proof: 400,
  invalid_grant: 400,
  invalid_grant_id: 404,
  invalid_request: 400,
  invalid_request_object: 400,
  invalid_request_uri: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  login_required: 400,
  not_found: 404,
  registration_not_supported: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  unauthorized_client: 400,
  unmet_authentication_requirements: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_login_hint_token: 400,
  expired_token: 400,
  invalid_binding_message: 400,
  invalid_user_code: 400,
  missing_user_code: 400,
  unknown_user_id: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  use_dpop_nonce: 400,
  use_fresh_attestation: 400,
} as const

/**
 * The error codes of IANA's "OAuth Extensions Error Registry", RFC 6749, RFC 6750, OIDC Core and CIBA Core, and `not_found` for
 * a path without an endpoint and a client without a logo.
 */
export type OAuthErrorCode = keyof typeof statuses
