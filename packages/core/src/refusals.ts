import { defineRefusals } from '@mintmark/internal'
import {
  StorageUnavailableError,
  type DurationSeconds,
  type JsonValue,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'

import { SealingKeyError } from './sealing-key-error.ts'

const clientFailed = { code: 'invalid_client', sentence: 'Client authentication failed.' } as const
const codeInvalid = { code: 'invalid_grant', sentence: 'The authorization code is not valid.' } as const
const assertionInvalid = { code: 'invalid_grant', sentence: 'The assertion is not valid.' } as const
const deviceCodeInvalid = { code: 'invalid_grant', sentence: 'The device code is not valid.' } as const
const authReqIdInvalid = { code: 'invalid_grant', sentence: 'The auth_req_id is not valid.' } as const
const refreshTokenInvalid = { code: 'invalid_grant', sentence: 'The refresh token is not valid.' } as const
const proofInvalid = { code: 'invalid_dpop_proof', sentence: 'The DPoP proof is not valid.' } as const
const accessTokenInvalid = { code: 'invalid_token', sentence: 'The access token is not valid.' } as const
const notApproved = { code: 'access_denied', sentence: 'The request was not approved.' } as const
const notRegistered = {
  code: 'invalid_request',
  sentence: 'The application that sent you here is not registered with this service.',
} as const
const exchangeRefused = { code: 'access_denied', sentence: 'The exchange was refused.', status: 400 } as const
const tooManyRequests = {
  code: 'temporarily_unavailable',
  sentence: 'Too many requests. Try again later.',
  status: 429,
} as const
const internalError = { code: 'server_error', sentence: 'The server encountered an internal error.' } as const
const unavailable = {
  code: 'temporarily_unavailable',
  sentence: 'The service is temporarily unavailable. Try again shortly.',
} as const
/** RFC 8628 §3.5: an error of the token endpoint has status 400. */
const notApprovedAtToken = { ...notApproved, status: 400 } as const
const unsupported = 'The request uses a parameter that is not supported.'

/**
 * Every refusal of the authorization server. A comment is for operators; without one, the sentence says it all. The
 * sentence is printable ASCII without quotes and backslashes (RFC 6749 §5.2). Several reasons share a code and a sentence
 * wherever telling them apart would help an attacker. A row has a status only if it differs from the status of its code.
 */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  // Path, method and size of any request.
  path_not_found: { code: 'not_found', sentence: 'This path does not exist.', section: 'RFC 9110 §15.5.5' },
  method_not_allowed: {
    status: 405,
    code: 'invalid_request',
    sentence: 'This endpoint does not accept this method.',
    section: 'RFC 9110 §15.5.6',
  },
  /** The request body is larger than the limit of the endpoint. */
  message_too_large: {
    status: 413,
    code: 'invalid_request',
    sentence: 'The request body is too large.',
    section: 'RFC 9110 §15.5.14',
  },

  /** The process works on as many requests as `maxConcurrentRequests` allows. */
  server_busy: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'The service is busy. Try again shortly.',
    section: 'RFC 9110 §15.6.4',
  },

  // Parameters of any request.
  /** The body is not a form (`application/x-www-form-urlencoded`) in UTF-8. */
  body_not_a_form: {
    code: 'invalid_request',
    sentence: 'The body must be application/x-www-form-urlencoded.',
    section: 'RFC 6749 §3.2',
  },
  parameters_malformed: {
    code: 'invalid_request',
    sentence: 'The parameters are malformed, or there are too many.',
    section: 'RFC 6749 §5.2',
  },
  parameter_repeated: { code: 'invalid_request', sentence: 'A parameter is repeated.', section: 'RFC 6749 §3.1, §3.2' },
  parameter_too_long: { code: 'invalid_request', sentence: 'A parameter is too long.', section: 'RFC 6749 §4.1.2.1' },
  token_missing: {
    code: 'invalid_request',
    sentence: 'The token parameter is missing.',
    section: 'RFC 7009 §2.1, RFC 7662 §2.1',
  },

  // Client authentication. Most failures have the same response, so that an attacker cannot tell them apart.
  /** The request does not identify its client. */
  client_authentication_missing: { ...clientFailed, section: 'RFC 6749 §3.2.1' },
  client_authentication_twice: {
    code: 'invalid_request',
    sentence: 'Use only one client authentication method.',
    section: 'RFC 6749 §2.3',
  },
  /**
   * The client signed the assertion, but the audience of the assertion is not this server. The context has the received
   * audience and the expected audiences.
   */
  client_assertion_audience: { ...clientFailed, section: 'RFC 7523 §3' },
  /**
   * The platform of the client signed the assertion, but for another workload. The context has the first claim that
   * differs, with the received and the registered value.
   */
  client_workload_wrong: { ...clientFailed, section: 'RFC 7523 §3' },
  /** The client does not use the authentication method that it is registered for. */
  client_authentication_method: { ...clientFailed, section: 'OIDC Registration §2' },
  /** The secret or the assertion does not belong to the client, or has expired. */
  client_credentials_wrong: { ...clientFailed, section: 'RFC 6749 §5.2' },
  /** The attestation of the client's instance is genuine, but has expired, or its time is in the future. */
  attestation_expired: {
    code: 'use_fresh_attestation',
    sentence: 'Send a new client attestation.',
    section: 'Attestation-Based Client Authentication §7.4',
  },
  /** The client must authenticate with a certificate, but the request has no certificate that the server can read. */
  client_certificate_missing: { ...clientFailed, section: 'RFC 8705 §2' },
  /**
   * The certificate has expired, does not have the registered name, is not in the key set, or was issued by a
   * certificate authority that is not trusted.
   */
  client_certificate_wrong: { ...clientFailed, section: 'RFC 8705 §2.1, §2.2' },
  /** The client is disabled. */
  client_disabled: { ...clientFailed, section: 'RFC 6749 §5.2' },
  /** The registration of the client contradicts its security profile, or the server's `minimumProfile`. */
  profile_contradicted: {
    code: 'unauthorized_client',
    sentence: 'The registration of the client does not meet the required security profile.',
    section: 'FAPI 2.0 SP §5.3.2',
  },
  /** No client has this identifier. */
  client_unknown: { ...clientFailed, section: 'RFC 6749 §5.2' },
  /** The client is public, and the endpoint is only for clients that authenticate. */
  client_public: { ...clientFailed, section: 'RFC 7662 §2.1' },
  client_public_grant: {
    reason: 'client_public',
    code: 'unauthorized_client',
    sentence: 'A public client cannot act for itself.',
    section: 'RFC 6749 §4.4',
  },
  /** The credentials do not belong to the client that `client_id` names. */
  client_id_contradicted: {
    code: 'invalid_request',
    sentence: 'The request identifies two different clients.',
    section: 'RFC 6749 §2.3.1',
  },
  /** The assertion does not belong to the client that `client_id` names. */
  client_assertion_contradicted: { reason: 'client_id_contradicted', ...clientFailed, section: 'RFC 7521 §4.2.1' },
  /** Too many attempts to authenticate as this client have failed. */
  client_throttled: {
    status: 429,
    code: 'temporarily_unavailable',
    sentence: 'Too many failed attempts. Try again later.',
    section: 'RFC 6749 §2.3.1',
  },
  /** The client requests the revocation feed, but it is not a resource server. */
  client_serves_no_audience: {
    code: 'unauthorized_client',
    sentence: 'The client is not registered as a resource server.',
    section: 'RFC 6749 §5.2',
  },

  // Token exchange.
  /** No rule of the option `tokenExchange` is for the client. */
  exchange_not_permitted: {
    code: 'unauthorized_client',
    sentence: 'The client may not exchange tokens.',
    section: 'RFC 8693 §2.2.2',
  },
  /** The request asks for another type of token than an access token, or for authorization details. */
  exchange_unsupported: {
    code: 'invalid_request',
    sentence: 'Only access tokens without details are issued.',
    section: 'RFC 8693 §2.2.2',
  },
  /** The `subject_token` is missing, has a type that no rule permits, is not active, or has no user. */
  subject_token_invalid: {
    code: 'invalid_request',
    sentence: 'The subject token is not valid.',
    section: 'RFC 8693 §2.2.2',
  },
  /** The `actor_token` is not an active access token that the client holds for itself, or its type is missing. */
  actor_token_invalid: {
    code: 'invalid_request',
    sentence: 'The actor token is not valid.',
    section: 'RFC 8693 §2.2.2',
  },
  /** The subject token names another party in `may_act`, or was issued neither to the client nor for an API that it serves. */
  exchange_without_standing: { ...exchangeRefused, section: 'RFC 8693 §5' },
  /** The subject token is bound to a key that the client did not prove. */
  exchange_binding: { ...exchangeRefused, section: 'RFC 9449 §1' },
  /** The subject token has too many exchanges behind it. */
  exchange_too_deep: { ...exchangeRefused, section: 'RFC 8693 §4.1' },
  /** The option `tokenExchange.decide` refused. */
  exchange_refused: { ...exchangeRefused, section: 'RFC 8693 §2.2.2' },
  /** No rule permits the client to get tokens for the named APIs, or the request names none of several. */
  exchange_target: {
    code: 'invalid_target',
    sentence: 'The client may not exchange tokens for this target.',
    section: 'RFC 8693 §2.2.2',
  },

  // The client and the redirect URI of an authorization request. Their errors are shown on a local page.
  client_id_missing: {
    code: 'invalid_request',
    sentence: 'The client_id parameter is missing.',
    section: 'RFC 6749 §4.1.1',
  },
  client_id_repeated: {
    code: 'invalid_request',
    sentence: 'The client_id parameter is repeated.',
    section: 'RFC 6749 §3.1',
  },
  /** The authorization request is from a client that does not exist. */
  client_unknown_page: { reason: 'client_unknown', ...notRegistered, section: 'RFC 6749 §4.1.2.1' },
  /** The authorization request is from a disabled client. */
  client_disabled_page: { reason: 'client_disabled', ...notRegistered, section: 'RFC 6749 §4.1.2.1' },
  /** The `client_id` is a URL that cannot identify a metadata document, or that the host does not allow. */
  client_document_not_allowed: { ...notRegistered, section: 'Client ID Metadata Document §3' },
  /**
   * The client's metadata document is not valid, describes another client, or contains metadata that only registered
   * clients may have.
   */
  client_document_invalid: {
    code: 'invalid_request',
    sentence: 'The metadata document of the application cannot be used.',
    section: 'Client ID Metadata Document §4',
  },
  /** The client's metadata document no longer exists. */
  client_document_withdrawn: { ...notRegistered, section: 'Client ID Metadata Document §5' },
  /** The `client_id` has the form of open registration, but this server did not issue it. */
  client_id_forged: { ...notRegistered, section: 'RFC 7591 §5' },
  /** The option `openRegistration` does not allow any redirect URI of the client any more. */
  client_redirects_not_allowed: { ...notRegistered, section: 'RFC 7591 §5' },
  /** The client has no valid logo, or the logo cannot be fetched at the moment. */
  client_logo_unavailable: { code: 'not_found', sentence: 'The logo is not available.', section: 'RFC 9110 §15.5.5' },
  /** The client's metadata document could not be read, and the server has no recent copy. */
  client_document_unavailable: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'The metadata document of the application cannot be read at the moment. Try again later.',
    section: 'Client ID Metadata Document §5',
  },
  /** The key set at the client's `jwks_uri` could not be read, so nothing that the client signed can be verified. */
  client_keys_unavailable: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'The keys of the application cannot be read at the moment. Try again later.',
    section: 'RFC 6749 §5.2, RFC 9110 §15.6.4',
  },
  /** Too many metadata documents were requested, from one host or in total. */
  client_documents_throttled: { ...tooManyRequests, section: 'RFC 6585 §4' },
  /** The client's metadata document changed while the user signed in. */
  client_document_changed: {
    code: 'invalid_request',
    sentence: 'The application changed while you signed in. Start again.',
    section: 'Client ID Metadata Document §8.3',
  },
  redirect_uri_missing: {
    code: 'invalid_request',
    sentence: 'The redirect_uri parameter is missing.',
    section: 'OIDC Core §3.1.2.1',
  },
  redirect_uri_repeated: {
    code: 'invalid_request',
    sentence: 'The redirect_uri parameter is repeated.',
    section: 'RFC 6749 §3.1',
  },
  /** The redirect URI is not registered for the client. */
  redirect_uri_mismatch: {
    code: 'invalid_request',
    sentence: 'The application requested a redirect to an address that is not registered for it.',
    section: 'RFC 6749 §3.1.2.4',
  },

  // The rest of an authorization request. Its errors are sent to the redirect URI.
  response_type_missing: {
    code: 'invalid_request',
    sentence: 'The response_type parameter is missing.',
    section: 'RFC 6749 §4.1.2.1',
  },
  response_type_unsupported: {
    code: 'unsupported_response_type',
    sentence: 'The only supported response_type is code.',
    section: 'RFC 9700 §2.1.2',
  },
  response_mode_unknown: {
    code: 'invalid_request',
    sentence: 'This response_mode is not supported.',
    section: 'OAuth 2.0 Multiple Response Type Encoding Practices §2.1',
  },
  /** The `request` parameter is not supported. */
  parameter_unsupported_request: {
    reason: 'parameter_unsupported',
    code: 'request_not_supported',
    sentence: unsupported,
    section: 'OIDC Core §3.1.2.6',
  },
  /** The `request_uri` parameter is not supported. */
  parameter_unsupported_request_uri: {
    reason: 'parameter_unsupported',
    code: 'request_uri_not_supported',
    sentence: unsupported,
    section: 'OIDC Core §3.1.2.6',
  },
  /** The `registration` parameter is not supported. */
  parameter_unsupported_registration: {
    reason: 'parameter_unsupported',
    code: 'registration_not_supported',
    sentence: unsupported,
    section: 'OIDC Core §3.1.2.6',
  },
  /** The `scope` contains characters that a scope value must not have. */
  scope_malformed: { code: 'invalid_scope', sentence: 'The scope parameter is malformed.', section: 'RFC 6749 §3.3' },
  /** The request has no scope value that the server knows. */
  scope_missing: {
    code: 'invalid_scope',
    sentence: 'Request at least one scope that this server supports.',
    section: 'RFC 6749 §3.3',
  },
  /**
   * The client is registered for none of the requested scope values, or not for the requested `openid`; or it is not
   * registered for one of them, and its security profile requires that a request is granted completely.
   */
  scope_not_allowed: {
    code: 'invalid_scope',
    sentence: 'The client is not registered for a requested scope.',
    section: 'RFC 6749 §4.1.2.1, §5.2',
  },
  /**
   * The request has no `resource`, which the security profile of the client or the server's `minimumProfile` requires.
   */
  resource_missing: {
    code: 'invalid_target',
    sentence: 'The resource parameter is missing: name the API that the token is for.',
    section: 'RFC 8707 §2, MCP 2026-07-28 Authorization',
  },
  resource_unknown: {
    code: 'invalid_target',
    sentence: 'A requested resource is not known to this server.',
    section: 'RFC 8707 §2',
  },
  /** The client is not registered for a requested resource, or for any of the scope values of the resource. */
  resource_not_registered: {
    code: 'invalid_target',
    sentence: 'The client is not registered for a requested resource.',
    section: 'RFC 8707 §2',
  },
  resource_without_scope: {
    code: 'invalid_target',
    sentence: 'A requested resource does not define any of the requested scope values.',
    section: 'RFC 8707 §2',
  },
  /** The server no longer has a resource that was granted, or the client may no longer use it. */
  granted_resource_unknown: {
    reason: 'resource_unknown',
    code: 'invalid_target',
    sentence: 'The granted resource is no longer available to this client.',
    section: 'RFC 8707 §2.2',
  },
  /**
   * The authorization request has no PKCE challenge, and the client is public, attested or registered with
   * `requirePkce`.
   */
  code_challenge_missing: {
    code: 'invalid_request',
    sentence: 'PKCE is required: code_challenge is missing.',
    section: 'RFC 7636 §4.4.1',
  },
  /** The challenge method is not S256. */
  code_challenge_method: {
    code: 'invalid_request',
    sentence: 'PKCE is required with code_challenge_method S256.',
    section: 'RFC 7636 §4.3',
  },
  code_challenge_malformed: {
    code: 'invalid_request',
    sentence: 'The code_challenge is not a base64url SHA-256 hash.',
    section: 'RFC 7636 §4.2',
  },
  /** The `claims` parameter is not the JSON object that the standard describes. */
  claims_malformed: {
    code: 'invalid_request',
    sentence: 'The claims parameter is malformed.',
    section: 'OIDC Core §5.5',
  },
  /** The `prompt` has an unknown value, or contradicts itself. */
  prompt_invalid: {
    code: 'invalid_request',
    sentence: 'The prompt parameter is not valid.',
    section: 'OIDC Core §3.1.2.1',
  },
  max_age_invalid: {
    code: 'invalid_request',
    sentence: 'The max_age parameter is not a number of seconds.',
    section: 'OIDC Core §3.1.2.1',
  },
  /** The `id_token_hint` is not an ID token of this server. */
  id_token_hint_invalid: {
    code: 'invalid_request',
    sentence: 'The id_token_hint is not an ID token of this server.',
    section: 'OIDC Core §3.1.2.1',
  },
  no_user_matches: {
    code: 'login_required',
    sentence: 'No user matches the id_token_hint and the requested sub claim.',
    section: 'OIDC Core §5.5.1',
  },
  login_required: {
    code: 'login_required',
    sentence: 'No user is signed in, and prompt=none does not allow a sign-in page.',
    section: 'OIDC Core §3.1.2.6',
  },
  consent_required: {
    code: 'consent_required',
    sentence: 'Consent is required, and prompt=none does not allow a consent page.',
    section: 'OIDC Core §3.1.2.6',
  },
  /** The sign-in does not have any of the authentication contexts that the request requires. */
  acr_unmet: {
    code: 'unmet_authentication_requirements',
    sentence: 'The sign-in does not meet the requested authentication requirements.',
    section: 'OIDC Core §5.5.1.1',
  },

  /**
   * The host does not say how the user has just signed in, or when the session ends, which the profile `ipsie_sl1`
   * requires. The context names the missing members of `SignedIn`: `acr`, `amr` or `expiresAt`.
   */
  authentication_context_missing: { ...internalError, section: 'IPSIE SL1 §3.2.1' },

  // Pushed authorization requests.
  request_uri_pushed: {
    code: 'invalid_request',
    sentence: 'A pushed authorization request must not contain request_uri.',
    section: 'RFC 9126 §2.1',
  },
  /** The request was not pushed, but the client or the server requires pushed requests. */
  push_required: {
    code: 'invalid_request',
    sentence: 'Authorization requests must be pushed.',
    section: 'RFC 9126 §5, §6',
  },
  /** The `request_uri` was never issued, has expired, or belongs to another client. */
  request_uri_unknown: {
    code: 'invalid_request_uri',
    sentence: 'This sign-in has expired, or the application did not start it here.',
    section: 'RFC 9126 §2.2',
  },
  /** A code was already issued for the pushed request. */
  request_uri_used: {
    code: 'invalid_request_uri',
    sentence: 'This sign-in was already completed.',
    section: 'RFC 9126 §4',
  },
  /** This client, or all clients together, pushed too many requests. */
  pushes_throttled: { ...tooManyRequests, section: 'RFC 9126 §2.3' },

  // Request objects. The errors of a request object that is not verified are shown on a local page. Once its signature is
  // verified, the sender is the client, and the sentence says what is wrong.
  /**
   * The request object is not signed by the client, uses an algorithm that the client may not use, or is another kind
   * of JWT.
   */
  request_object_unverified: {
    code: 'invalid_request_object',
    sentence: 'The request object is not signed by the client as it is registered.',
    section: 'RFC 9101 §4, §10.2',
  },
  request_object_issuer: {
    code: 'invalid_request_object',
    sentence: 'The iss of the request object must be the client_id.',
    section: 'RFC 9101 §4',
  },
  request_object_audience: {
    code: 'invalid_request_object',
    sentence: 'The aud of the request object must contain the issuer of this server.',
    section: 'RFC 9101 §4',
  },
  request_object_expiry_missing: {
    code: 'invalid_request_object',
    sentence: 'The request object must have exp, a number of seconds.',
    section: 'RFC 9101 §10.2',
  },
  request_object_expired: {
    code: 'invalid_request_object',
    sentence: 'The request object has expired.',
    section: 'RFC 9101 §10.2',
  },
  /** The `nbf` or `iat` of the request object is in the future: one of the clocks is wrong. */
  request_object_early: {
    code: 'invalid_request_object',
    sentence: 'The nbf or iat of the request object is in the future.',
    section: 'RFC 7519 §4.1.5',
  },
  /** The client's profile requires `nbf`, and the request object has none. */
  request_object_start_missing: {
    code: 'invalid_request_object',
    sentence: 'The request object must have nbf, a number of seconds.',
    section: 'FAPI 2.0 MS §5.3.1',
  },
  /** The `nbf` of the request object is longer ago than the client's profile allows. */
  request_object_old: {
    code: 'invalid_request_object',
    sentence: 'The nbf of the request object is too long ago.',
    section: 'FAPI 2.0 MS §5.3.1',
  },
  /** The request object is valid for longer than the client's profile allows: `exp` is too long after `nbf`. */
  request_object_long_lived: {
    code: 'invalid_request_object',
    sentence: 'The exp of the request object is too long after its nbf.',
    section: 'FAPI 2.0 MS §5.3.1',
  },
  /** The `client_id` or `response_type` in the request object differs from the same parameter outside of it. */
  request_object_contradicted: {
    code: 'invalid_request_object',
    sentence: 'A parameter differs inside and outside of the request object.',
    section: 'RFC 9101 §5, OIDC Core §6.1',
  },
  /**
   * The request object contains another request object, a subject, a parameter of a wrong type, or text that is not
   * well-formed Unicode.
   */
  request_object_member: {
    code: 'invalid_request_object',
    sentence: 'The request object has a member that is not permitted or malformed.',
    section: 'RFC 9101 §4, §10.8',
  },
  /** The client must sign its requests, and this one is not signed. */
  request_object_required: {
    code: 'invalid_request',
    sentence: 'Authorization requests must be signed.',
    section: 'RFC 9101 §10.5',
  },

  // Interactions: the pages of the host on which a user signs in and consents.
  /** The interaction is unknown, has expired, or belongs to another browser. */
  interaction_unknown: {
    code: 'invalid_request',
    sentence: 'This sign-in has ended or expired, or it was started in another browser.',
    section: 'RFC 9700 §4.7',
  },
  /** The interaction was already completed. */
  interaction_completed: {
    code: 'invalid_request',
    sentence: 'This sign-in was already completed.',
    section: 'RFC 6749 §4.1.2',
  },
  /** Too many interactions were started, in this browser, for this client or in total. */
  interactions_throttled: {
    status: 429,
    code: 'temporarily_unavailable',
    sentence: 'Too many sign-ins were started. Try again later.',
    section: 'RFC 6749 §4.1.2.1',
  },
  /** Too many forms were sent to the sign-in page of one interaction. */
  sign_in_throttled: {
    status: 429,
    code: 'temporarily_unavailable',
    sentence: 'Too many sign-in attempts. Try again later.',
    section: 'RFC 6749 §10.10',
  },
  /** Too many codes were issued to one client for one user. */
  codes_throttled: {
    code: 'temporarily_unavailable',
    sentence: 'Too many requests. Try again later.',
    section: 'RFC 6749 §4.1.2.1',
  },
  /** The request does not fit into the URL of the sign-in page, or into the `request_uri` of a public client. */
  request_too_large: {
    code: 'invalid_request',
    sentence: 'The authorization request is too large.',
    section: 'RFC 6749 §4.1.2.1',
  },
  /** A script or a prefetch sent the request; no browser window navigated to it. */
  not_a_navigation: {
    code: 'invalid_request',
    sentence: 'Open this page in a browser window.',
    section: 'RFC 6749 §3.1',
  },
  /** A form was sent from another site. */
  cross_site_post: {
    code: 'access_denied',
    sentence: 'This form was not sent from this site.',
    section: 'RFC 9700 §4.7',
  },
  /** The user denied the request. */
  user_denied: { ...notApproved, section: 'RFC 6749 §4.1.2.1' },
  /** The user who signed in is deactivated. */
  user_inactive: { ...notApproved, section: 'RFC 6749 §4.1.2.1' },
  /** The error page tells the user that the account is deactivated. The client is not informed. */
  user_inactive_page: {
    reason: 'user_inactive',
    code: 'access_denied',
    sentence: 'Your account is deactivated. Ask your administrator for access.',
    section: 'RFC 6749 §4.1.2.1',
  },
  /** The host signed in a user who is not in storage. */
  user_unknown: { ...notApproved, section: 'RFC 6749 §4.1.2.1' },

  // Requests of devices (RFC 8628), and the pages on which a user approves them.
  /** Too many requests of devices were made, for one client or in total. */
  device_requests_throttled: { ...tooManyRequests, section: 'RFC 8628 §5.6' },
  /** No free user code was found: too many requests wait for a decision. */
  user_codes_exhausted: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'Too many requests. Try again later.',
    section: 'RFC 8628 §5.1',
  },
  /** A request of a device has a parameter that only authorization requests may have. */
  device_parameter_unsupported: { code: 'invalid_request', sentence: unsupported, section: 'RFC 8628 §3.1' },
  /** The browser that confirms a code did not get the page that asks for the confirmation. */
  device_confirmation_unknown: {
    code: 'invalid_request',
    sentence: 'This page has expired, or it was opened in another browser. Enter the code again.',
    section: 'RFC 8628 §5.4',
  },
  /** The request was decided in another window, or has expired. */
  request_ended: {
    code: 'invalid_request',
    sentence: 'This request has expired or was already answered. Start again where it came from.',
    section: 'RFC 8628 §3.3, CIBA Core 1.0 §7.3',
  },

  // Backchannel authentication requests (CIBA), in which the client names the user.
  /** A public client makes the request. It cannot prove who it is. */
  client_public_ciba: {
    reason: 'client_public',
    code: 'unauthorized_client',
    sentence: 'A public client cannot make backchannel authentication requests.',
    section: 'CIBA Core 1.0 §7.1',
  },
  /** The client is registered for the delivery mode `ping`, but the storage keeps no deliveries. */
  ping_unavailable: {
    code: 'unauthorized_client',
    sentence: 'This server does not send notifications. Register the client for polling.',
    section: 'CIBA Core 1.0 §4',
  },
  /** The client made too many requests, or asked this user too often. */
  backchannel_requests_throttled: { ...tooManyRequests, section: 'CIBA Core 1.0 §15' },
  request_object_required_ciba: {
    reason: 'request_object_required',
    code: 'invalid_request',
    sentence: 'The request must be signed.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  signed_request_unregistered: {
    code: 'invalid_request',
    sentence: 'The client is not registered for signed requests.',
    section: 'CIBA Core 1.0 §4',
  },
  /** A parameter is outside of the signed request, where anybody could have added it. */
  parameter_outside_request: {
    code: 'invalid_request',
    sentence: 'Every parameter must be in the signed request.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  /** The signed request is not signed by the client with its registered algorithm, or is another kind of JWT. */
  request_object_unverified_ciba: {
    reason: 'request_object_unverified',
    code: 'invalid_request',
    sentence: 'The request is not signed by the client as it is registered.',
    section: 'CIBA Core 1.0 §7.1.1, §13',
  },
  request_object_issuer_ciba: {
    reason: 'request_object_issuer',
    code: 'invalid_request',
    sentence: 'The iss of the signed request must be the client_id.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  request_object_audience_ciba: {
    reason: 'request_object_audience',
    code: 'invalid_request',
    sentence: 'The aud of the signed request must contain the issuer of this server.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  request_object_expiry_missing_ciba: {
    reason: 'request_object_expiry_missing',
    code: 'invalid_request',
    sentence: 'The signed request must have exp, a number of seconds.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  request_object_expired_ciba: {
    reason: 'request_object_expired',
    code: 'invalid_request',
    sentence: 'The signed request has expired.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  /** The `nbf` or `iat` of the signed request is in the future: one of the clocks is wrong. */
  request_object_early_ciba: {
    reason: 'request_object_early',
    code: 'invalid_request',
    sentence: 'The nbf or iat of the signed request is in the future.',
    section: 'RFC 7519 §4.1.5',
  },
  request_object_start_missing_ciba: {
    reason: 'request_object_start_missing',
    code: 'invalid_request',
    sentence: 'The signed request must have nbf, a number of seconds.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  /** The `nbf` of the signed request is longer than an hour ago. */
  request_object_old_ciba: {
    reason: 'request_object_old',
    code: 'invalid_request',
    sentence: 'The nbf of the signed request is too long ago.',
    section: 'FAPI-CIBA §5.2.2',
  },
  /** The signed request is valid for more than an hour: `exp` is too long after `nbf`. */
  request_object_long_lived_ciba: {
    reason: 'request_object_long_lived',
    code: 'invalid_request',
    sentence: 'The exp of the signed request is too long after its nbf.',
    section: 'FAPI-CIBA §5.2.2',
  },
  /** The signed request lacks `iat` or `jti`, or has a member that is not permitted or malformed. */
  request_object_member_ciba: {
    reason: 'request_object_member',
    code: 'invalid_request',
    sentence: 'The signed request lacks a member, or has one that is not permitted or malformed.',
    section: 'CIBA Core 1.0 §7.1.1',
  },
  /** The scope values do not contain `openid`, or the client is not registered for it. */
  openid_missing: {
    code: 'invalid_request',
    sentence: 'The scope must contain openid.',
    section: 'CIBA Core 1.0 §7.1',
  },
  user_hint_count: {
    code: 'invalid_request',
    sentence: 'Send exactly one of login_hint, login_hint_token and id_token_hint.',
    section: 'CIBA Core 1.0 §7.1',
  },
  /** `ciba.findUser` said that the `login_hint_token` has expired. */
  login_hint_token_expired: {
    code: 'expired_login_hint_token',
    sentence: 'The login_hint_token has expired.',
    section: 'CIBA Core 1.0 §13',
  },
  /** There is no user whom the hint could mean. */
  hinted_user_unknown: {
    code: 'unknown_user_id',
    sentence: 'The user cannot be identified.',
    section: 'CIBA Core 1.0 §13',
  },
  /** The user whom the hint means is deactivated. The client must not learn that. */
  hinted_user_inactive: {
    code: 'unknown_user_id',
    sentence: 'The user cannot be identified.',
    section: 'CIBA Core 1.0 §13',
  },
  /** The user needs a code, and the request has none. */
  backchannel_user_code_missing: {
    code: 'missing_user_code',
    sentence: 'The user_code is missing.',
    section: 'CIBA Core 1.0 §13',
  },
  /** `ciba.verifyUserCode` refused the code of the user. */
  backchannel_user_code_wrong: {
    code: 'invalid_user_code',
    sentence: 'The user_code is not valid.',
    section: 'CIBA Core 1.0 §13',
  },
  /** The `binding_message` is longer than 64 characters, or has characters that cannot be shown everywhere. */
  binding_message_invalid: {
    code: 'invalid_binding_message',
    sentence: 'The binding_message must be one line of at most 64 visible characters.',
    section: 'CIBA Core 1.0 §13',
  },
  /** The client's profile requires something by which the user recognizes the request. */
  binding_message_missing: {
    code: 'invalid_binding_message',
    sentence: 'The request needs a binding_message or authorization_details.',
    section: 'FAPI-CIBA §5.2.2',
  },
  requested_expiry_invalid: {
    code: 'invalid_request',
    sentence: 'The requested_expiry must be a positive whole number of seconds.',
    section: 'CIBA Core 1.0 §7.1',
  },
  /** The client is registered for the delivery mode `ping`, and the request has no notification token. */
  notification_token_missing: {
    code: 'invalid_request',
    sentence: 'The client_notification_token is missing.',
    section: 'CIBA Core 1.0 §7.1',
  },
  /** The notification token is not a bearer token of 22 to 1024 characters, or is easy to guess. */
  notification_token_invalid: {
    code: 'invalid_request',
    sentence:
      'The client_notification_token must be a bearer token of 22 to 1024 characters, with at least 128 random bits.',
    section: 'CIBA Core 1.0 §7.1',
  },
  /** `ciba.askUser` failed, so that the user does not know of the request, which has ended. The `cause` has the error. */
  ask_failed: { ...internalError, section: 'RFC 6749 §4.1.2.1' },

  // Logout requests. The page that reports one of these errors offers to sign out.
  /** The `id_token_hint` of a logout request is not an ID token of this server, or its signing key was dropped. */
  logout_hint_invalid: {
    code: 'invalid_request',
    sentence: 'The id_token_hint is not an ID token of this server.',
    section: 'RP-Initiated Logout §2',
  },
  /** The `id_token_hint` of a logout request was not issued to the client that `client_id` names. */
  logout_client_contradicted: {
    reason: 'client_id_contradicted',
    code: 'invalid_request',
    sentence: 'The request identifies two different clients.',
    section: 'RP-Initiated Logout §2',
  },
  /** The request has a `post_logout_redirect_uri`, and neither an `id_token_hint` nor a `client_id`. */
  logout_client_missing: {
    code: 'invalid_request',
    sentence: 'The request has neither an id_token_hint nor a client_id, so it cannot lead back to the application.',
    section: 'RP-Initiated Logout §3',
  },
  /** The `post_logout_redirect_uri` is not registered for the client. */
  logout_return_unregistered: {
    code: 'invalid_request',
    sentence: 'The application requested a redirect to an address that is not registered for it.',
    section: 'RP-Initiated Logout §3',
  },
  /** Too many logout requests were sent by one browser. */
  logouts_throttled: { ...tooManyRequests, section: 'RFC 6585 §4' },

  // Token requests.
  grant_type_missing: {
    code: 'invalid_request',
    sentence: 'The grant_type parameter is missing.',
    section: 'RFC 6749 §5.2',
  },
  grant_type_unknown: {
    code: 'unsupported_grant_type',
    sentence: 'This grant type is not supported.',
    section: 'RFC 6749 §5.2',
  },
  grant_type_not_registered: {
    code: 'unauthorized_client',
    sentence: 'The client is not registered for this grant type.',
    section: 'RFC 6749 §4.1.2.1, §5.2',
  },
  /** A grant type of the host refused the request. The host may choose another error code and add a `cause`. */
  grant_refused: { code: 'invalid_grant', sentence: 'The grant is not valid.', section: 'RFC 6749 §5.2' },
  code_missing: { code: 'invalid_request', sentence: 'The code parameter is missing.', section: 'RFC 6749 §4.1.3' },
  /** The code has expired, belongs to another client, or was never issued. */
  code_unknown: { ...codeInvalid, section: 'RFC 6749 §5.2' },
  /** The code was already redeemed. Its token family is now revoked. */
  code_replayed: { ...codeInvalid, section: 'RFC 6749 §4.1.2' },
  /** Storage returned the code without one of its members: the store has a defect. */
  code_incomplete: { ...codeInvalid, section: 'RFC 6749 §4.1.2' },
  /** Storage returned the code without its challenge or its method: the store has a defect. */
  code_challenge_lost: { ...codeInvalid, section: 'RFC 7636 §4.4' },
  /** The code was requested without PKCE, which has become mandatory for the client since then. */
  code_challenge_required: { ...codeInvalid, section: 'RFC 9700 §2.1.1' },
  /** The `code_verifier` does not match the `code_challenge`. */
  code_verifier_mismatch: { ...codeInvalid, section: 'RFC 7636 §4.6' },
  /** The code was requested with PKCE, but the token request has no verifier. */
  code_verifier_missing: { ...codeInvalid, section: 'RFC 7636 §4.6' },
  /**
   * The code was requested without PKCE, but the token request has a verifier: an attacker may have removed the
   * challenge.
   */
  code_verifier_unexpected: { ...codeInvalid, section: 'RFC 9700 §4.8.2' },
  /** The redirect URI differs from the redirect URI of the authorization request. */
  redirect_uri_mismatch_code: { reason: 'redirect_uri_mismatch', ...codeInvalid, section: 'RFC 6749 §4.1.3' },
  /** The grant, the user or the client that the code belongs to is not active. */
  grant_inactive: { ...codeInvalid, section: 'RFC 6749 §5.2' },
  /** The host used the `sessionId` of one user for another user. Give each sign-in a new `sessionId`. */
  session_of_another_user: { ...internalError, section: 'OIDC Front-Channel Logout 1.0 §3' },
  /** The client's metadata document changed after the user consented. */
  client_document_changed_code: {
    reason: 'client_document_changed',
    ...codeInvalid,
    section: 'Client ID Metadata Document §8.3',
  },
  /** The session in which the code was issued has ended. */
  session_ended: { ...codeInvalid, section: 'OIDC Back-Channel Logout 1.0 §2.7' },

  // Assertions of other issuers about users.
  client_public_assertion: {
    reason: 'client_public',
    code: 'unauthorized_client',
    sentence: 'A public client cannot present an assertion.',
    section: 'ID-JAG §9.1',
  },
  assertion_missing: {
    code: 'invalid_request',
    sentence: 'The assertion parameter is missing.',
    section: 'RFC 7523 §2.1',
  },
  /** The token request asks for authorization details. */
  assertion_unsupported: {
    code: 'invalid_request',
    sentence: 'Only access tokens without details are issued.',
    section: 'RFC 9396 §6',
  },
  /** Nobody has registered the issuer, its claim `tenant` has another value, or this server has issued the assertion itself. */
  assertion_issuer_unknown: { ...assertionInvalid, section: 'RFC 7521 §5.2, ID-JAG §9.3' },
  /** Several enabled directories have the issuer, and the same tenant. */
  assertion_issuer_ambiguous: { ...assertionInvalid, section: 'RFC 7521 §5.2' },
  /** The directory that has the issuer is disabled. */
  assertion_issuer_disabled: { ...assertionInvalid, section: 'RFC 7521 §5.2' },
  /** The assertion is for another client, or the client may not present assertions of the issuer. */
  assertion_client: { ...assertionInvalid, section: 'ID-JAG §4.4.1' },
  /** The assertion is no JWT, or no key of the issuer has signed it. */
  assertion_invalid: { ...assertionInvalid, section: 'RFC 7523 §3' },
  /** The assertion is another kind of JWT, by its `typ`. */
  assertion_type: { ...assertionInvalid, section: 'RFC 8725 §3.11, ID-JAG §4.4.1' },
  /** The audience of the assertion is not this server alone. */
  assertion_audience: { ...assertionInvalid, section: 'RFC 7523 §3, ID-JAG §4.4.1' },
  /** The assertion has expired, is valid for too long or without end, or its times are in the future. */
  assertion_expired: { ...assertionInvalid, section: 'RFC 7523 §3' },
  /** The assertion is bound to a key that the client did not prove, or in a way that is not known. */
  assertion_key: { ...assertionInvalid, section: 'ID-JAG §9.8' },
  /** The assertion grants authorization details. */
  assertion_details: { ...assertionInvalid, section: 'RFC 9396 §6' },
  /** A claim of the assertion is missing, or has another type. */
  assertion_malformed: { ...assertionInvalid, section: 'RFC 7523 §3, ID-JAG §3.1' },
  /** The issuer has no user here that the assertion names. */
  assertion_subject_unknown: { ...assertionInvalid, section: 'RFC 7523 §3' },
  /** The user is not active. */
  assertion_subject_inactive: { ...assertionInvalid, section: 'RFC 6749 §5.2' },
  /** The client's metadata document changed while the request was in progress. */
  client_document_changed_assertion: {
    reason: 'client_document_changed',
    ...assertionInvalid,
    section: 'Client ID Metadata Document §8.3',
  },
  /** The assertion was used before. */
  assertion_replayed: { ...assertionInvalid, section: 'RFC 7523 §3' },
  /** The assertion names no API, or one that the issuer may not give access to. */
  assertion_target: {
    code: 'invalid_target',
    sentence: 'The assertion does not permit this resource.',
    section: 'RFC 8707 §2, ID-JAG §4.4.1',
  },
  /** The client has presented the same assertion too often within a minute. */
  assertion_throttled: {
    status: 429,
    code: 'temporarily_unavailable',
    sentence: 'The assertion was presented too often. Try again later.',
    section: 'RFC 6585 §4',
  },
  /** The key set of the issuer could not be fetched. */
  assertion_keys_unavailable: {
    status: 503,
    code: 'temporarily_unavailable',
    sentence: 'The keys of the issuer cannot be read at the moment. Try again later.',
    section: 'RFC 9110 §15.6.4',
  },

  device_code_missing: {
    code: 'invalid_request',
    sentence: 'The device_code parameter is missing.',
    section: 'RFC 8628 §3.4',
  },
  /** The device code belongs to another client, was never issued, or has been expired for long. */
  device_code_unknown: { ...deviceCodeInvalid, section: 'RFC 8628 §3.5, RFC 6749 §5.2' },
  /** Storage returned the request of a device without one of its members: the store has a defect. */
  device_code_incomplete: { ...deviceCodeInvalid, section: 'RFC 6749 §5.2' },
  /** The device code was already redeemed. Its token family is now revoked. */
  device_code_replayed: { ...deviceCodeInvalid, section: 'RFC 6749 §4.1.2' },
  /** The DPoP proof is made with another key than the proof of the device authorization request. */
  device_code_key_mismatch: { ...deviceCodeInvalid, section: 'RFC 9449 §5' },
  authorization_pending: {
    code: 'authorization_pending',
    sentence: 'The user has not decided yet.',
    section: 'RFC 8628 §3.5',
  },
  /** The client polls more often than the interval allows. The interval is five seconds longer now. */
  polled_too_early: {
    code: 'slow_down',
    sentence: 'Poll less often: the interval is longer now.',
    section: 'RFC 8628 §3.5',
  },
  /** Nobody decided in time. */
  device_code_expired: { code: 'expired_token', sentence: 'The device code has expired.', section: 'RFC 8628 §3.5' },
  /** The user denied the request of the device. */
  user_denied_device: { reason: 'user_denied', ...notApprovedAtToken, section: 'RFC 8628 §3.5' },
  /** The user approved the request of the device, but the grant, the user or the client is not active any more. */
  grant_inactive_device: { reason: 'grant_inactive', ...notApprovedAtToken, section: 'RFC 8628 §3.5' },
  /** The client's metadata document changed after the user approved the request of the device. */
  client_document_changed_device: {
    reason: 'client_document_changed',
    ...notApprovedAtToken,
    section: 'Client ID Metadata Document §8.3',
  },
  /** The session in which the user approved the request of the device has ended. */
  session_ended_device: {
    reason: 'session_ended',
    ...notApprovedAtToken,
    section: 'OIDC Back-Channel Logout 1.0 §2.7',
  },
  auth_req_id_missing: {
    code: 'invalid_request',
    sentence: 'The auth_req_id parameter is missing.',
    section: 'CIBA Core 1.0 §10.1',
  },
  /** The `auth_req_id` belongs to another client, was never issued, or has been expired for long. */
  auth_req_id_unknown: { ...authReqIdInvalid, section: 'CIBA Core 1.0 §11, RFC 6749 §5.2' },
  /** Storage returned a backchannel request without one of its members: the store has a defect. */
  auth_req_id_incomplete: { ...authReqIdInvalid, section: 'RFC 6749 §5.2' },
  /** The `auth_req_id` was already redeemed. Its token family is now revoked. */
  auth_req_id_replayed: { ...authReqIdInvalid, section: 'RFC 6749 §4.1.2' },
  /** The DPoP proof is made with another key than the proof of the backchannel authentication request. */
  auth_req_id_key_mismatch: { ...authReqIdInvalid, section: 'RFC 9449 §5' },
  /** Nobody decided in time. */
  auth_req_id_expired: {
    code: 'expired_token',
    sentence: 'The auth_req_id has expired.',
    section: 'CIBA Core 1.0 §11',
  },
  /** The user denied the request. */
  user_denied_ciba: { reason: 'user_denied', ...notApprovedAtToken, section: 'CIBA Core 1.0 §11' },
  /** The grant, the user or the client is not active any more; the user may have been deactivated before they decided. */
  grant_inactive_ciba: { reason: 'grant_inactive', ...notApprovedAtToken, section: 'CIBA Core 1.0 §11' },
  /** The registration of the client changed after the user approved the request. */
  client_document_changed_ciba: {
    reason: 'client_document_changed',
    ...notApprovedAtToken,
    section: 'Client ID Metadata Document §8.3',
  },
  /** The session in which the user approved the request has ended. */
  session_ended_ciba: { reason: 'session_ended', ...notApprovedAtToken, section: 'OIDC Back-Channel Logout 1.0 §2.7' },
  refresh_token_missing: {
    code: 'invalid_request',
    sentence: 'The refresh_token parameter is missing.',
    section: 'RFC 6749 §6',
  },
  /** The refresh token has expired, belongs to another client, was revoked, or was never issued. */
  refresh_token_unknown: { ...refreshTokenInvalid, section: 'RFC 6749 §5.2' },
  /**
   * The refresh token was used twice, so one of the two senders may have stolen it. Its token family is now revoked.
   */
  refresh_token_reused: { ...refreshTokenInvalid, section: 'RFC 9700 §4.14.2' },
  /**
   * The request asks only for scope values that were not granted; or for one of them, and the security profile of the
   * client requires that a request is granted completely.
   */
  scope_not_granted: { code: 'invalid_scope', sentence: 'A requested scope was not granted.', section: 'RFC 6749 §6' },
  resource_not_granted: {
    code: 'invalid_target',
    sentence: 'A requested resource was not granted.',
    section: 'RFC 8707 §2.2',
  },
  /** The user has the same identifier as the client. The host must give the user another identifier. */
  user_id_equals_client_id: {
    code: 'invalid_grant',
    sentence: 'The account cannot be used with this client.',
    section: 'RFC 9068 §5',
  },
  signing_algorithm_unavailable: {
    code: 'unauthorized_client',
    sentence: 'The client is registered for a signing algorithm that this server does not use.',
    section: 'OIDC Registration §2',
  },
  /** The client is registered for encrypted responses, but has no usable key with `use` `enc` for the algorithm. */
  encryption_key_missing: {
    code: 'unauthorized_client',
    sentence: 'The client is registered for encrypted responses, but has no usable encryption key.',
    section: 'OIDC Core §10.2',
  },

  // Proof of possession (DPoP).
  /** The request has no DPoP proof, but the client must use DPoP, or the code or token is bound to a key. */
  dpop_proof_missing: { code: 'invalid_dpop_proof', sentence: 'A DPoP proof is required.', section: 'RFC 9449 §5, §7' },
  /** The request has more than one DPoP header, or the header is not a DPoP proof with a public key. */
  dpop_proof_malformed: { ...proofInvalid, section: 'RFC 9449 §4.3' },
  /** The signature of the proof was not made with the key in its header. */
  dpop_signature: { ...proofInvalid, section: 'RFC 9449 §4.3' },
  /** The proof is for another method or URL. Check that the client uses the public URL of the issuer. */
  dpop_target: { ...proofInvalid, section: 'RFC 9449 §4.3' },
  /** The proof is too old or from the future. The clock of the client may be wrong. */
  dpop_time: { ...proofInvalid, section: 'RFC 9449 §11.1' },
  /** The proof is for another access token, or for no access token. */
  dpop_access_token_hash: { ...proofInvalid, section: 'RFC 9449 §4.3' },
  /** The proof was used before. */
  dpop_replayed: { ...proofInvalid, section: 'RFC 9449 §11.1' },
  /** The proof has no current nonce of this server. The response contains one. */
  dpop_nonce: {
    code: 'use_dpop_nonce',
    sentence: 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response.',
    section: 'RFC 9449 §8',
  },
  /** The code is bound to another key. It is still valid. */
  code_key_mismatch: { ...codeInvalid, section: 'RFC 9449 §10' },
  /** The refresh token is bound to another key. */
  refresh_token_key_mismatch: { ...refreshTokenInvalid, section: 'RFC 9449 §5' },
  dpop_jkt_malformed: {
    code: 'invalid_request',
    sentence: 'The dpop_jkt is not a SHA-256 thumbprint.',
    section: 'RFC 9449 §10',
  },
  dpop_jkt_contradicted: {
    code: 'invalid_request',
    sentence: 'The dpop_jkt is not the thumbprint of the key in the DPoP proof.',
    section: 'RFC 9449 §10.1',
  },
  /** The access token is bound to a key, but was presented as a bearer token. */
  access_token_bound: { ...accessTokenInvalid, section: 'RFC 9449 §7.2' },
  /**
   * The tokens of the client are bound to its certificate, but the request has no certificate that the server can read.
   */
  certificate_missing: {
    code: 'invalid_request',
    sentence: 'A client certificate is required.',
    section: 'RFC 8705 §3',
  },
  certificate_with_proof: {
    code: 'invalid_request',
    sentence: 'Do not send a DPoP proof: the tokens are bound to the certificate.',
    section: 'RFC 8705 §3',
  },
  /** The access token is bound to another certificate, or the request has no certificate that the server can read. */
  access_token_certificate_mismatch: { ...accessTokenInvalid, section: 'RFC 8705 §3' },
  /** The access token is not bound to the key of the DPoP proof that it was presented with. */
  access_token_key_mismatch: { ...accessTokenInvalid, section: 'RFC 9449 §7.1' },

  // Access tokens at userinfo, and the revocation feed.
  /** The request has no access token. */
  bearer_missing: { ...accessTokenInvalid, section: 'RFC 6750 §3.1' },
  /** The `Authorization` header does not contain a well-formed access token. */
  bearer_malformed: { ...accessTokenInvalid, section: 'RFC 6750 §2.1' },
  bearer_twice: { code: 'invalid_request', sentence: 'Send only one access token.', section: 'RFC 6750 §2' },
  /** The access token is in the query string, which may end up in logs. */
  bearer_in_query: {
    code: 'invalid_request',
    sentence: 'Do not send access tokens in the query.',
    section: 'RFC 9700 §4.3.2',
  },
  /** The access token was not issued by this server, or has expired. */
  access_token_invalid: { ...accessTokenInvalid, section: 'RFC 6750 §3.1' },
  /** The access token is for another audience. */
  access_token_audience: { ...accessTokenInvalid, section: 'RFC 9068 §4' },
  /** The access token was revoked, or its grant, user or client is not active. */
  access_token_inactive: { ...accessTokenInvalid, section: 'RFC 6750 §3.1' },
  /** The client obtained the access token for itself, so there is no user. */
  access_token_without_user: { ...accessTokenInvalid, section: 'OIDC Core §5.3' },
  openid_not_granted: {
    code: 'insufficient_scope',
    sentence: 'The access token needs the scope openid.',
    section: 'OIDC Core §5.3',
  },
  grant_query_not_granted: {
    code: 'insufficient_scope',
    sentence: 'The access token needs the scope grant_management_query.',
    section: 'Grant Management §6.1',
  },
  grant_revocation_not_granted: {
    code: 'insufficient_scope',
    sentence: 'The access token needs the scope grant_management_revoke.',
    section: 'Grant Management §6.1',
  },
  client_public_grant_management: {
    reason: 'client_public',
    code: 'access_denied',
    sentence: 'A public client cannot manage grants.',
    section: 'Grant Management §5.1',
  },
  /**
   * The grant does not exist, is not active, or belongs to another client, or the user of the access token is not the
   * user of the grant.
   */
  grant_unknown: { code: 'invalid_grant_id', sentence: 'There is no such grant.', section: 'Grant Management §6.6' },
  /**
   * The authorization request asks to create, merge or replace a grant. A user has at most one grant for each client.
   */
  grant_action_unsupported: {
    code: 'invalid_request',
    sentence: 'This grant_management_action is not supported.',
    section: 'Grant Management §5.2',
  },
  /** The request to the revocation feed has no nonce, or a malformed parameter. */
  feed_question_malformed: {
    code: 'invalid_request',
    sentence: 'The nonce parameter is missing, or nonce, cursor or wait is malformed.',
    section: 'RFC 6749 §5.2',
  },

  // Organizations, and the size of access tokens.
  /** The user is not a member of the organization that the request names, or of any organization. */
  organization_not_member: {
    code: 'access_denied',
    sentence: 'The user is not a member of the organization.',
    section: 'RFC 6749 §4.1.2.1',
  },
  organization_without_scope: {
    code: 'invalid_request',
    sentence: 'The organization parameter needs the scope organization.',
    section: 'RFC 6749 §4.1.2.1',
  },
  organization_left: {
    code: 'invalid_grant',
    sentence: 'The user is no longer a member of the organization.',
    section: 'RFC 6749 §5.2',
  },
  /** The user lost a role in the organization while the tokens were issued. */
  organization_role_lost: {
    code: 'invalid_grant',
    sentence: 'The roles of the user have changed.',
    section: 'RFC 6749 §5.2',
  },
  /** The organization that the client belongs to was removed, or the storage has no organizations. */
  organization_removed: {
    code: 'unauthorized_client',
    sentence: 'The organization of the client does not exist.',
    section: 'RFC 6749 §5.2',
  },
  /** The roles, groups and other claims of the user exceed `accessTokenClaimLimits`. */
  claims_too_large: {
    code: 'invalid_scope',
    sentence: 'The access token would be too large. Request fewer scopes or resources.',
    section: 'RFC 9068 §2.2.3, RFC 6749 §5.2',
  },

  // Authorization details.
  /**
   * `authorization_details` is not a JSON array of 1 to 16 objects, is too large or nested too deeply, or has a member
   * twice.
   */
  details_malformed: {
    code: 'invalid_authorization_details',
    sentence: 'The authorization_details parameter is malformed or too large.',
    section: 'RFC 9396 §5',
  },
  detail_type_unknown: {
    code: 'invalid_authorization_details',
    sentence: 'A type of authorization details is not supported.',
    section: 'RFC 9396 §5',
  },
  detail_type_not_registered: {
    code: 'invalid_authorization_details',
    sentence: 'The client is not registered for a type of authorization details.',
    section: 'RFC 9396 §5, §10',
  },
  /** `parse` or `parseGranted` of the type rejected an authorization detail. The `cause` says why. */
  detail_invalid: {
    code: 'invalid_authorization_details',
    sentence: 'An authorization detail is not valid.',
    section: 'RFC 9396 §5',
  },
  detail_location_not_requested: {
    code: 'invalid_authorization_details',
    sentence: 'An authorization detail is for a resource that the request does not name.',
    section: 'RFC 9396 §2.2, §5',
  },
  detail_not_granted: {
    code: 'invalid_authorization_details',
    sentence: 'The authorization details were not granted.',
    section: 'RFC 9396 §6',
  },
  /** A client requests authorization details for itself, so no user can grant them. */
  details_without_user: {
    code: 'invalid_authorization_details',
    sentence: 'Authorization details need a user who grants them.',
    section: 'RFC 9396 §5, §6',
  },
  /** The host's consent page completed a request without saying which of the scope values the user granted. */
  scopes_undecided: {
    code: 'invalid_request',
    sentence: 'The form is incomplete. Go back and try again.',
    section: 'OIDC Core §3.1.2.4',
  },
  /** The host's page completed a request with authorization details without saying which of them the user granted. */
  details_undecided: {
    code: 'invalid_request',
    sentence: 'The form is incomplete. Go back and try again.',
    section: 'RFC 9396 §11.1',
  },

  // Failures.
  /** The option `claims` failed, or returned a claim that only the server sets. The `cause` has the error. */
  claims_failed: { ...internalError, section: 'RFC 6749 §4.1.2.1' },
  /**
   * The option `users` failed, took too long, or returned something that is not a user. The `cause` has the error.
   */
  users_unavailable: { ...unavailable, section: 'RFC 6749 §4.1.2.1' },
  /** Storage does not respond. The `cause` has the error. */
  storage_unavailable: { ...unavailable, section: 'RFC 6749 §4.1.2.1' },
  /**
   * The stored signing keys were sealed with another sealing key, so the server cannot sign or verify. The `cause`
   * names the keys.
   */
  signing_keys_foreign: { ...unavailable, section: 'RFC 6749 §4.1.2.1' },
  /** An unexpected error. The `cause` is the error. */
  unexpected_failure: { ...internalError, section: 'RFC 6749 §4.1.2.1' },
}))

/** A row of the table. */
export type Refusal = keyof typeof refusals

/** Why a request was refused, for operators and tests. It is never sent to a client. */
export type RefusalReason = ReasonOf<Refusal>

type ReasonOf<Row extends Refusal> = (typeof refusals)[Row]['reason']

/** Creates the error to throw for a row of the table. */
export function refuse<Row extends Refusal>(
  row: Row,
  ...[context = {}, { cause, retryAfter, dpopNonce } = {}]: RefusalArguments<Row>
): OAuthError {
  const name: Refusal = row
  const { reason, code, sentence, status }: OAuthRefusal = refusals[name]
  return new OAuthError(code, sentence, { reason, context, cause, retryAfter, dpopNonce, status })
}

interface OAuthRefusal {
  readonly reason: RefusalReason
  readonly code: OAuthErrorCode
  readonly sentence: string
  readonly status?: number
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
  readonly response_type_unsupported: Required<Pick<RefusalContext, 'requestedValue'>>
  readonly response_mode_unknown: Required<Pick<RefusalContext, 'requestedValue'>>
  readonly prompt_invalid: Required<Pick<RefusalContext, 'requestedValue'>>
  readonly max_age_invalid: Required<Pick<RefusalContext, 'requestedValue'>>
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
  readonly logout_client_contradicted: NamesClient
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
  /** With the reasons `response_type_unsupported`, `response_mode_unknown`, `prompt_invalid` and `max_age_invalid`: the value, at most 100 characters. */
  readonly requestedValue?: string | undefined
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

/** Returns the beginning of a value that a client sent, for an event: at most 100 characters. */
export const beginningOf = (value: string): string => value.slice(0, 100)

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
