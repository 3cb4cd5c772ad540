/**
 * Why a request was refused, for operators and tests; never sent to a client. Several reasons share one code and one
 * description wherever telling them apart would help an attacker. Each has a line: the codes that a client sees, and what
 * it means.
 */
export type RefusalReason =
  /** invalid_token: The access token is meant for others. */
  | 'access_token_audience'
  /** invalid_token: It is no access token of this server, or it has expired. */
  | 'access_token_invalid'
  /** invalid_token: The access token was revoked, or the grant, account or client behind it has ended. */
  | 'access_token_not_live'
  /** invalid_token: A client got the access token for itself, so there is nobody to tell about. */
  | 'access_token_without_person'
  /** invalid_grant: The account has the identifier of the client: the host has to give it another (RFC 9068 §5). */
  | 'account_named_as_client'
  /** access_denied: The account that signed in was deactivated. */
  | 'account_not_active'
  /** access_denied: The host signed in somebody whom storage has no account for. */
  | 'account_unknown'
  /** unmet_authentication_requirements: The sign-in is not of the kind that the request demands. */
  | 'acr_unmet'
  /** invalid_request: An access token came in the address, where logs keep it. */
  | 'bearer_in_query'
  /** invalid_token: What came in place of an access token is none. */
  | 'bearer_malformed'
  /** invalid_token: No access token came; the answer says how to come back with one. */
  | 'bearer_missing'
  /** invalid_request: Access tokens came in two ways, or twice. */
  | 'bearer_twice'
  /** invalid_request: The body is not a form in UTF-8. */
  | 'body_not_a_form'
  /** invalid_request: The `claims` parameter is not the JSON that it should be. */
  | 'claims_malformed'
  /** invalid_client: The client came by another method than the one it is registered for. */
  | 'client_authentication_method'
  /** invalid_client: The request does not say which client it is from. */
  | 'client_authentication_missing'
  /** invalid_request: The client came by two methods at once. */
  | 'client_authentication_twice'
  /** invalid_client: The secret, or the assertion, is not the client's, or has expired. */
  | 'client_credentials_wrong'
  /** invalid_client, invalid_request: The client was disabled; `invalid_request` on the page that a person sees. */
  | 'client_disabled'
  /**
   * invalid_request, invalid_client: The credentials are of another client than `client_id` names; `invalid_client`
   * with an assertion.
   */
  | 'client_id_contradicted'
  /** invalid_request: The authorization request does not say which client it is from. */
  | 'client_id_missing'
  /** invalid_request: The authorization request names its client more than once. */
  | 'client_id_repeated'
  /**
   * invalid_client, unauthorized_client: A public client asks for what only those get who prove who they are;
   * `unauthorized_client` for tokens of its own.
   */
  | 'client_public'
  /** unauthorized_client: The client asks for the revocation feed and is no resource server. */
  | 'client_serves_no_audience'
  /** temporarily_unavailable: Too many attempts in the client's name have failed. */
  | 'client_throttled'
  /** invalid_client, invalid_request: There is no such client; `invalid_request` on the page that a person sees. */
  | 'client_unknown'
  /** invalid_grant: Storage returned the code without its challenge: the store has to be mended. */
  | 'code_challenge_lost'
  /** invalid_request: The `code_challenge` is no SHA-256 hash. */
  | 'code_challenge_malformed'
  /** invalid_request: The challenge is made in another way than S256. */
  | 'code_challenge_method'
  /** invalid_request: The authorization request came without PKCE. */
  | 'code_challenge_missing'
  /** invalid_grant: Storage returned the code without a part of it: the store has to be mended. */
  | 'code_incomplete'
  /** invalid_request: The token request has no `code`. */
  | 'code_missing'
  /** invalid_grant: The code was redeemed before: its token family has ended. */
  | 'code_replayed'
  /** invalid_grant: The code has expired, is another client's, or never was. */
  | 'code_unknown'
  /** invalid_grant: The verifier does not belong to the challenge. */
  | 'code_verifier_mismatch'
  /** invalid_grant: The code was asked for with PKCE and is redeemed without. */
  | 'code_verifier_missing'
  /**
   * invalid_grant: The code is redeemed with PKCE and was asked for without: somebody may have taken the challenge
   * away.
   */
  | 'code_verifier_unexpected'
  /** consent_required: Consent is needed, and the request forbids to ask. */
  | 'consent_required'
  /** access_denied: A form was sent from another site. */
  | 'cross_site_post'
  /** invalid_request: The question to the revocation feed lacks its nonce, or is not what it should be. */
  | 'feed_question_malformed'
  /** invalid_grant: The grant, the account or the client behind the code has ended. */
  | 'grant_not_live'
  /** invalid_grant, or what the grant says: By a grant of the host's own; its `cause` may say more. */
  | 'grant_refused'
  /** invalid_request: The token request has no `grant_type`. */
  | 'grant_type_missing'
  /** unauthorized_client: The client is not registered for the grant. */
  | 'grant_type_not_registered'
  /** unsupported_grant_type: There is no such grant here. */
  | 'grant_type_unknown'
  /** invalid_request: The hint is no ID token of this server. */
  | 'id_token_hint_invalid'
  /** invalid_request: The sign-in was completed before. */
  | 'interaction_completed'
  /** invalid_request: The sign-in is over, has expired, or is another browser's. */
  | 'interaction_unknown'
  /** temporarily_unavailable: Too many sign-ins were started in the browser. */
  | 'interactions_throttled'
  /** login_required: Nobody is signed in, and the request forbids to ask. */
  | 'login_required'
  /** invalid_request: The `max_age` is no number of seconds. */
  | 'max_age_invalid'
  /** login_required: The request's `id_token_hint` and its `sub` claim mean two persons, or nobody. */
  | 'nobody_meant'
  /** insufficient_scope: Userinfo is asked with an access token that has no scope `openid`. */
  | 'openid_not_granted'
  /** invalid_request: A parameter came more than once. */
  | 'parameter_repeated'
  /** invalid_request: A parameter is longer than anything that makes sense. */
  | 'parameter_too_long'
  /**
   * request_not_supported, request_uri_not_supported, registration_not_supported: The request uses a parameter of
   * OpenID Connect that is not offered.
   */
  | 'parameter_unsupported'
  /** invalid_request: The parameters are too many, or their escapes are broken. */
  | 'parameters_malformed'
  /** access_denied: The person said no. */
  | 'person_refused'
  /** invalid_request: The `prompt` has an unknown value, or contradicts itself. */
  | 'prompt_invalid'
  /**
   * invalid_request, invalid_grant: The address is not registered for the client; `invalid_grant` when it is not the
   * one that the code was asked for with.
   */
  | 'redirect_uri_mismatch'
  /** invalid_request: The request has no `redirect_uri`. */
  | 'redirect_uri_missing'
  /** invalid_request: The request has more than one `redirect_uri`. */
  | 'redirect_uri_repeated'
  /** invalid_request: The token request has no `refresh_token`. */
  | 'refresh_token_missing'
  /** invalid_grant: The refresh token was used before: one of two who hold it stole it, and its family has ended. */
  | 'refresh_token_reused'
  /** invalid_grant: The refresh token has expired, is another client's, has ended, or never was. */
  | 'refresh_token_unknown'
  /** invalid_target: The request asks for a resource that was not granted. */
  | 'resource_not_granted'
  /** invalid_target: There is no such resource here, or no longer. */
  | 'resource_unknown'
  /** invalid_request: There is no such `response_mode` here. */
  | 'response_mode_unknown'
  /** invalid_request: The authorization request has no `response_type`. */
  | 'response_type_missing'
  /** unsupported_response_type: The `response_type` is not `code`. */
  | 'response_type_unsupported'
  /** invalid_scope: The `scope` holds characters that no scope value has. */
  | 'scope_malformed'
  /** invalid_scope: The request asks for no scope value that there is. */
  | 'scope_missing'
  /** invalid_scope: The client is not registered for a scope value that it asks for. */
  | 'scope_not_allowed'
  /** invalid_scope: The request asks for a scope value that was not granted. */
  | 'scope_not_granted'
  /** unauthorized_client: The client is registered for an algorithm that no key of the server has. */
  | 'signing_algorithm_unavailable'
  /** temporarily_unavailable: Storage does not answer; the `cause` says more. */
  | 'storage_unavailable'
  /** invalid_request: The request has no `token`. */
  | 'token_missing'
  /** server_error: Something failed that should not; the `cause` says what. */
  | 'unexpected_failure'
