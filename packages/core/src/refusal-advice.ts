import type { RefusalReason } from './refusals.ts'

/**
 * What a developer can do about the refusals that occur while a client is being set up. The log shows it behind the
 * reason; clients never see it.
 */
const advice: Readonly<Partial<Record<RefusalReason, string>>> = {
  body_not_a_form: 'Send the parameters as application/x-www-form-urlencoded, not as JSON.',
  client_unknown:
    'Compare the client_id and the issuer with those of the registration: `mintmark client list` shows the clients of this database.',
  client_authentication_missing: 'Send the client_id, and the secret if the client has one.',
  client_authentication_method: 'Configure the client for the registered method, or change the registration.',
  client_credentials_wrong:
    'The secret is wrong or has expired. `mintmark client secret rotate` creates a new one; secrets cannot be shown again.',
  client_assertion_audience: 'Set the audience of the assertion to the issuer.',
  redirect_uri_mismatch:
    'Send a registered redirect URI, character by character, or register this one; at the token endpoint, send the one of the authorization request.',
  scope_not_allowed: 'Add the scope values to the registration of the client, or do not request them.',
  scope_missing: 'Request a scope value that the client is registered for.',
  resource_unknown: 'Add the API to the option resources, spelled as the client sends it.',
  resource_not_registered: 'Register a scope value of this API for the client.',
  grant_type_not_registered: 'Add the grant type to the registration of the client.',
  grant_type_unknown: 'Turn the grant on in the options of the server. The grants password and implicit do not exist.',
  response_type_unsupported: 'Use response_type=code.',
  code_challenge_missing: 'Turn on PKCE with S256 in the client: send code_challenge and code_challenge_method=S256.',
  code_challenge_method: 'Use PKCE with S256: plain is not accepted.',
  code_verifier_missing: 'Send the code_verifier whose code_challenge was in the authorization request.',
  code_verifier_mismatch: 'Keep the code_verifier of each sign-in until its callback: two tabs must not share one.',
  code_unknown:
    'The code has expired, or was issued to another client or by another server. Redeem it at once, with the client that requested it.',
  code_replayed:
    'The code was redeemed before, perhaps because the callback page was loaded again. Redeem it once, then redirect to another page.',
  refresh_token_unknown:
    'The refresh token has expired, was revoked, or was issued to another client. Use the client that received it, or let the user sign in again.',
  refresh_token_reused:
    'Store the new refresh token of each response, and refresh in one place. If you do, somebody else has the token.',
  interaction_unknown:
    'The sign-in is too old, was started in another browser, or its cookie did not arrive: is the issuer the URL that the browser sees, with https, and do all processes share one storage? The page must not be in an iframe of another site.',
  cross_site_post:
    'The form did not come from a page of the issuer. Open the site at the address of the issuer; a proxy must not change Origin.',
  scopes_undecided:
    'The consent page called complete without grantedScopes. Pass the scope values that the user allowed, or call deny.',
  dpop_target: 'Sign the public URL of the endpoint, without a query. Behind a proxy, the issuer must be that URL.',
  dpop_time: 'Synchronize the clock of the client.',
  access_token_audience: 'The token is for an API. Request a token without resource for userinfo.',
  path_not_found: 'Compare the path with discovery: an issuer with a path has its endpoints below that path.',
}

/** Returns a sentence for the log; `undefined` if the reason says enough. */
export const adviceOf = (reason: RefusalReason): string | undefined => advice[reason]
