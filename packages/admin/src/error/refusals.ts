import { ClientMetadataError } from '@mintmark/core'
import { ProvisioningError } from '@mintmark/provisioning'
import { ProviderError, ScimError } from '@mintmark/scim'
import { StorageUnavailableError } from '@mintmark/storage-interface'

/**
 * The refusals by reason: the status of the response, its fixed sentence (RFC 9457 §3.1), and the section of the
 * standard. The reason is also the `code` in the response.
 */
export const refusals = {
  // Authentication: RFC 6750 §3.1. One sentence for every kind of wrong credential.
  credentials_missing: [
    401,
    'Send an access token of this issuer in the Authorization header, as a Bearer token.',
    'RFC 6750 §3.1',
  ],
  credentials_invalid: [401, 'The access token is not valid.', 'RFC 6750 §3.1'],
  scope_missing: [403, 'The access token does not have the scope that this request requires.', 'RFC 6750 §3.1'],
  not_an_administrator: [403, 'The user or client of the access token is not an administrator.', 'RFC 6750 §3.1'],

  // Authorization: RFC 9700 §2.3, and §4.7 for cross-site request forgery.
  beyond_own_scopes: [
    403,
    'The client has or would get a scope value that the access token does not allow you to grant.',
    'RFC 9700 §2.3',
  ],
  cross_site: [403, 'The request was not sent from this site.', 'RFC 9700 §4.7'],

  // Address, method and preconditions: RFC 9110 §13 and §15.5.
  path_not_found: [404, 'This path does not exist.', 'RFC 9110 §15.5.5'],
  method_not_allowed: [405, 'This path does not accept this method.', 'RFC 9110 §15.5.6'],
  message_too_large: [413, 'The request body is too large.', 'RFC 9110 §15.5.14'],
  media_type: [
    415,
    'The Content-Type must be application/json or application/merge-patch+json, in UTF-8.',
    'RFC 9110 §15.5.16',
  ],
  version_mismatch: [412, 'The record does not have the expected version. Read it again.', 'RFC 9110 §13.1'],

  // Message and query: RFC 9110 §15.5.1.
  body_malformed: [400, 'The request body must be a JSON object.', 'RFC 9110 §15.5.1'],
  body_invalid: [400, 'A member of the request body is missing, unknown or invalid.', 'RFC 9110 §15.5.1'],
  query_invalid: [400, 'A parameter of the query is unknown, repeated or invalid.', 'RFC 9110 §15.5.1'],
  page_invalid: [
    400,
    'The limit must be between 1 and 200, and after must be the next value of the previous page.',
    'RFC 9110 §15.5.1',
  ],
  filter_invalid: [
    400,
    'The filter does not follow the grammar of RFC 7644 section 3.4.2.2, or users cannot be searched by it.',
    'RFC 9110 §15.5.1',
  ],
  filter_too_broad: [
    400,
    'The filter requires too much work for one request. Make it more selective.',
    'RFC 9110 §15.5.1',
  ],

  // Records: RFC 9110 §15.5.5 and §15.5.10.
  client_unknown: [404, 'There is no such client.', 'RFC 9110 §15.5.5 and §15.5.10'],
  provider_unknown: [404, 'There is no such identity provider.', 'RFC 9110 §15.5.5 and §15.5.10'],
  user_unknown: [404, 'There is no such user.', 'RFC 9110 §15.5.5 and §15.5.10'],
  organization_unknown: [404, 'There is no such organization.', 'RFC 9110 §15.5.5 and §15.5.10'],
  membership_unknown: [404, 'The user is not a member of the organization.', 'RFC 9110 §15.5.5 and §15.5.10'],
  grant_unknown: [404, 'There is no such grant.', 'RFC 9110 §15.5.5 and §15.5.10'],
  initial_access_token_unknown: [404, 'There is no such initial access token.', 'RFC 9110 §15.5.5 and §15.5.10'],
  session_unknown: [404, 'There is no such session.', 'RFC 9110 §15.5.5 and §15.5.10'],
  delivery_unknown: [404, 'There is no such delivery.', 'RFC 9110 §15.5.5 and §15.5.10'],
  delivery_not_dead: [
    409,
    'Only an abandoned delivery can be requeued. This delivery is pending or delivered.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  webhook_unknown: [404, 'There is no such webhook.', 'RFC 9110 §15.5.5 and §15.5.10'],
  webhook_url_invalid: [
    400,
    'The URL of a webhook must use https and a host name with a dot, without a port, credentials or a fragment.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  webhook_type_unknown: [
    400,
    'The webhook lists a type of change that does not exist.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  too_many_webhooks: [
    409,
    'The maximum number of webhooks is reached. Remove a webhook first.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  keys_missing: [
    409,
    'This needs the option keys: the key ring seals the secrets of webhooks, and lists its keys.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  provisioning_missing: [
    409,
    'This needs the option provisioning: the value of createProvisioning.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  target_unknown: [404, 'There is no such target.', 'RFC 9110 §15.5.5 and §15.5.10'],
  target_id_invalid: [
    400,
    'The identifier of a target has 1 to 64 letters, digits and hyphens.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  target_taken: [409, 'There is a webhook or a target with this identifier.', 'RFC 9110 §15.5.5 and §15.5.10'],
  target_url_invalid: [
    400,
    'The address of a partner must use https, a host name that is not this server, and the default port, without a query.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  target_credential_invalid: [
    400,
    'A credential is either a bearer token, or a token endpoint with a client identifier and a client secret.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  partner_failed: [409, 'The partner did not answer as SCIM requires.', 'RFC 9110 §15.5.5 and §15.5.10'],
  target_selection_empty: [
    400,
    'A target needs at least one identity provider, or the users of the host.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  identifier_invalid: [
    400,
    'The identifier is empty or too long, or contains characters that are not allowed.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  agent_owner_inactive: [
    409,
    'The owner of the agent is not active, or its directory is disabled.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  provider_enabled: [
    409,
    'The identity provider can still create users. Disable or remove it first.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  assertions_invalid: [
    400,
    'The issuer of assertions must be an https URL without a query, with either jwks_uri, an https URL of a key set, or jwks, a set of public keys.',
    'RFC 9110 §15.5.1',
  ],
  setup_link_invalid: [400, 'A set-up link can be valid for 1 second to 30 days.', 'RFC 9110 §15.5.1'],
  domain_invalid: [
    400,
    'A verified domain must be a host name with a dot, such as example.com. A provider can have at most 100.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  identifier_taken: [
    409,
    'The identifier is or was in use. Choose another identifier.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  invalid_redirect_uri: [400, 'A redirect URI of the client is not valid.', 'RFC 9110 §15.5.5 and §15.5.10'],
  invalid_client_metadata: [400, 'The metadata of the client is not valid.', 'RFC 9110 §15.5.5 and §15.5.10'],
  display_name_invalid: [400, 'A name must be one line of 1 to 200 characters.', 'RFC 9110 §15.5.5 and §15.5.10'],
  initial_access_token_invalid: [
    400,
    'An initial access token must allow 1 to 1000 clients, at least one scope value and one grant type, for at most a year.',
    'RFC 9110 §15.5.1',
  ],
  tolerance_profile_unknown: [400, 'There is no such tolerance profile.', 'RFC 9110 §15.5.5 and §15.5.10'],
  too_many_secrets: [
    409,
    'The maximum number of active secrets is reached. Revoke the previous secrets first.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  claim_invalid: [400, 'A claim has a name or a value that is not allowed.', 'RFC 9110 §15.5.5 and §15.5.10'],
  claim_reserved: [
    400,
    'A claim is reserved: it belongs to the protocol or to a custom field.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  claims_too_large: [
    400,
    'The claims of a user must be at most 32768 characters of JSON, nested at most 8 levels deep.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  user_provisioned: [
    409,
    'An identity provider manages the claims of this user. Change them there.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  custom_field_unknown: [
    400,
    'A custom field is not declared in the option customFields.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  custom_field_invalid: [
    400,
    'The value of a custom field does not match its schema.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  role_invalid: [
    400,
    'A membership can have at most 50 roles, each of 1 to 100 visible characters.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],
  last_administrator: [
    409,
    'This user is the last administrator. Make another user an administrator first.',
    'RFC 9110 §15.5.5 and §15.5.10',
  ],

  // RFC 9110 §15.6.
  audit_unavailable: [
    503,
    'The action was not performed, because it could not be written to the audit log.',
    'RFC 9110 §15.6',
  ],
  storage_unavailable: [503, 'The service is temporarily unavailable. Try again shortly.', 'RFC 9110 §15.6'],
  unexpected_failure: [500, 'The server encountered an internal error.', 'RFC 9110 §15.6'],
} as const satisfies Record<string, readonly [status: number, detail: string, section: Section]>

/** A section of a public standard, such as `RFC 9110 §15.5.5`. */
type Section = `${string} §${string}`

/** The reason why an administrative action was refused. Reasons are stable: programs may depend on them. */
export type AdminRefusalReason = keyof typeof refusals

interface AdminErrorOptions {
  /** A sentence that is more specific than the sentence of the reason. It contains no input. */
  readonly detail?: string | undefined
  /** The member of the request that is at fault, as a JSON Pointer (RFC 6901). */
  readonly pointer?: string | undefined
  readonly cause?: unknown
}

/** An action was refused or failed. `reason` is stable. Nothing was changed unless the reason says so. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly reason: AdminRefusalReason
  readonly status: number
  readonly detail: string
  readonly pointer: string | undefined

  constructor(reason: AdminRefusalReason, { detail, pointer, cause }: AdminErrorOptions = {}) {
    const [status, sentence] = refusals[reason]
    super(detail ?? sentence, { cause })
    this.reason = reason
    this.status = status
    this.detail = detail ?? sentence
    this.pointer = pointer
  }
}

/** Converts any error to a refusal. The message of an internal failure is not included. */
export function toAdminError(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown
  // RFC 7591 §3.2.2: the description is a fixed sentence that tells what to change.
  if (thrown instanceof ClientMetadataError)
    return new AdminError(thrown.code, { detail: thrown.description, cause: thrown })
  if (thrown instanceof ProviderError)
    return new AdminError(providerReasons[thrown.reason], { detail: thrown.message, cause: thrown })
  // The failure is one of our own names, such as http_401.
  if (thrown instanceof ProvisioningError)
    return new AdminError(targetReasons[thrown.reason], { detail: thrown.message, cause: thrown })
  // RFC 7644 §3.12 invalidFilter: fixed sentences, and at most a name from our own schema.
  if (thrown instanceof ScimError && thrown.scimType === 'invalidFilter') {
    return new AdminError('filter_invalid', { detail: thrown.detail, cause: thrown })
  }
  const reason = thrown instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected_failure'
  return new AdminError(reason, { cause: thrown })
}

const providerReasons = {
  invalid_identifier: 'identifier_invalid',
  invalid_domain: 'domain_invalid',
  invalid_assertions: 'assertions_invalid',
  identifier_taken: 'identifier_taken',
  provider_unknown: 'provider_unknown',
  too_many_secrets: 'too_many_secrets',
} as const satisfies Record<ProviderError['reason'], AdminRefusalReason>

const targetReasons = {
  target_unknown: 'target_unknown',
  target_id_invalid: 'target_id_invalid',
  target_taken: 'target_taken',
  url_invalid: 'target_url_invalid',
  credential_invalid: 'target_credential_invalid',
  selection_empty: 'target_selection_empty',
  partner_failed: 'partner_failed',
} as const satisfies Record<ProvisioningError['reason'], AdminRefusalReason>
