import { ClientMetadataError } from '@mintmark/core'
import { defineRefusals } from '@mintmark/internal'
import { ProvisioningError } from '@mintmark/provisioning'
import { ProviderError, ScimError } from '@mintmark/scim'
import { StorageUnavailableError } from '@mintmark/storage-interface'

const invalid = { status: 400, section: 'RFC 9110 §15.5.1' } as const
const missing = { status: 404, section: 'RFC 9110 §15.5.5' } as const
const conflict = { status: 409, section: 'RFC 9110 §15.5.10' } as const

/** Every refusal. The reason is also the `code` in the response (RFC 9457 §3.1). */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  // Authentication: RFC 6750 §3.1. One sentence for every kind of wrong credential.
  credentials_missing: {
    status: 401,
    sentence: 'Send an access token of this issuer in the Authorization header, as a Bearer token.',
    section: 'RFC 6750 §3.1',
  },
  credentials_invalid: { status: 401, sentence: 'The access token is not valid.', section: 'RFC 6750 §3.1' },
  scope_missing: {
    status: 403,
    sentence: 'The access token does not have the scope that this request requires.',
    section: 'RFC 6750 §3.1',
  },
  not_an_administrator: {
    status: 403,
    sentence: 'The user or client of the access token is not an administrator.',
    section: 'RFC 6750 §3.1',
  },

  // Authorization: RFC 9700 §2.3, and §4.7 for cross-site request forgery.
  beyond_own_scopes: {
    status: 403,
    sentence: 'The client has or would get a scope value that the access token does not allow you to grant.',
    section: 'RFC 9700 §2.3',
  },
  cross_site: { status: 403, sentence: 'The request was not sent from this site.', section: 'RFC 9700 §4.7' },

  // Address, method and preconditions: RFC 9110 §13 and §15.5.
  path_not_found: { ...missing, sentence: 'This path does not exist.' },
  method_not_allowed: { status: 405, sentence: 'This path does not accept this method.', section: 'RFC 9110 §15.5.6' },
  message_too_large: { status: 413, sentence: 'The request body is too large.', section: 'RFC 9110 §15.5.14' },
  media_type: {
    status: 415,
    sentence: 'The Content-Type must be application/json or application/merge-patch+json, in UTF-8.',
    section: 'RFC 9110 §15.5.16',
  },
  version_mismatch: {
    status: 412,
    sentence: 'The record does not have the expected version. Read it again.',
    section: 'RFC 9110 §13.1',
  },

  // Message and query: RFC 9110 §15.5.1.
  body_malformed: { ...invalid, sentence: 'The request body must be a JSON object.' },
  body_invalid: { ...invalid, sentence: 'A member of the request body is missing, unknown or invalid.' },
  query_invalid: { ...invalid, sentence: 'A parameter of the query is unknown, repeated or invalid.' },
  page_invalid: {
    ...invalid,
    sentence: 'The limit must be between 1 and 200, and after must be the next value of the previous page.',
  },
  filter_invalid: {
    ...invalid,
    sentence: 'The filter does not follow the grammar of RFC 7644 section 3.4.2.2, or users cannot be searched by it.',
  },
  filter_too_broad: {
    ...invalid,
    sentence: 'The filter requires too much work for one request. Make it more selective.',
  },

  // Records: RFC 9110 §15.5.5 and §15.5.10.
  client_unknown: { ...missing, sentence: 'There is no such client.' },
  provider_unknown: { ...missing, sentence: 'There is no such identity provider.' },
  user_unknown: { ...missing, sentence: 'There is no such user.' },
  organization_unknown: { ...missing, sentence: 'There is no such organization.' },
  membership_unknown: { ...missing, sentence: 'The user is not a member of the organization.' },
  grant_unknown: { ...missing, sentence: 'There is no such grant.' },
  initial_access_token_unknown: { ...missing, sentence: 'There is no such initial access token.' },
  session_unknown: { ...missing, sentence: 'There is no such session.' },
  delivery_unknown: { ...missing, sentence: 'There is no such delivery.' },
  delivery_not_dead: {
    ...conflict,
    sentence: 'Only an abandoned delivery can be requeued. This delivery is pending or delivered.',
  },
  webhook_unknown: { ...missing, sentence: 'There is no such webhook.' },
  webhook_url_invalid: {
    ...invalid,
    sentence:
      'The URL of a webhook must use https and a host name with a dot, without a port, credentials or a fragment.',
  },
  webhook_type_unknown: { ...invalid, sentence: 'The webhook lists a type of change that does not exist.' },
  too_many_webhooks: { ...conflict, sentence: 'The maximum number of webhooks is reached. Remove a webhook first.' },
  keys_missing: {
    ...conflict,
    sentence: 'This needs the option keys: the key ring seals the secrets of webhooks, and lists its keys.',
  },
  provisioning_missing: {
    ...conflict,
    sentence: 'This needs the option provisioning: the value of createProvisioning.',
  },
  target_unknown: { ...missing, sentence: 'There is no such target.' },
  target_id_invalid: { ...invalid, sentence: 'The identifier of a target has 1 to 64 letters, digits and hyphens.' },
  target_taken: { ...conflict, sentence: 'There is a webhook or a target with this identifier.' },
  target_url_invalid: {
    ...invalid,
    sentence:
      'The address of a partner must use https, a host name that is not this server, and the default port, without a query.',
  },
  target_credential_invalid: {
    ...invalid,
    sentence:
      'A credential is either a bearer token, or a token endpoint with a client identifier and a client secret.',
  },
  partner_failed: { ...conflict, sentence: 'The partner did not answer as SCIM requires.' },
  target_selection_empty: {
    ...invalid,
    sentence: 'A target needs at least one identity provider, or the users of the host.',
  },
  identifier_invalid: {
    ...invalid,
    sentence: 'The identifier is empty or too long, or contains characters that are not allowed.',
  },
  agent_owner_inactive: {
    ...conflict,
    sentence: 'The owner of the agent is not active, or its directory is disabled.',
  },
  provider_enabled: {
    ...conflict,
    sentence: 'The identity provider can still create users. Disable or remove it first.',
  },
  assertions_invalid: {
    ...invalid,
    sentence:
      'The issuer of assertions must be an https URL without a query, with either jwks_uri, an https URL of a key set, or jwks, a set of public keys.',
  },
  setup_link_invalid: { ...invalid, sentence: 'A set-up link can be valid for 1 second to 30 days.' },
  domain_invalid: {
    ...invalid,
    sentence: 'A verified domain must be a host name with a dot, such as example.com. A provider can have at most 100.',
  },
  identifier_taken: { ...conflict, sentence: 'The identifier is or was in use. Choose another identifier.' },
  invalid_redirect_uri: { ...invalid, sentence: 'A redirect URI of the client is not valid.' },
  invalid_client_metadata: { ...invalid, sentence: 'The metadata of the client is not valid.' },
  display_name_invalid: { ...invalid, sentence: 'A name must be one line of 1 to 200 characters.' },
  initial_access_token_invalid: {
    ...invalid,
    sentence:
      'An initial access token must allow 1 to 1000 clients, at least one scope value and one grant type, for at most a year.',
  },
  tolerance_profile_unknown: { ...invalid, sentence: 'There is no such tolerance profile.' },
  too_many_secrets: {
    ...conflict,
    sentence: 'The maximum number of active secrets is reached. Revoke the previous secrets first.',
  },
  claim_invalid: { ...invalid, sentence: 'A claim has a name or a value that is not allowed.' },
  claim_reserved: { ...invalid, sentence: 'A claim is reserved: it belongs to the protocol or to a custom field.' },
  claims_too_large: {
    ...invalid,
    sentence: 'The claims of a user must be at most 32768 characters of JSON, nested at most 8 levels deep.',
  },
  user_provisioned: {
    ...conflict,
    sentence: 'An identity provider manages the claims of this user. Change them there.',
  },
  custom_field_unknown: { ...invalid, sentence: 'A custom field is not declared in the option customFields.' },
  custom_field_invalid: { ...invalid, sentence: 'The value of a custom field does not match its schema.' },
  role_invalid: {
    ...invalid,
    sentence: 'A membership can have at most 50 roles, each of 1 to 100 visible characters.',
  },
  last_administrator: {
    ...conflict,
    sentence: 'This user is the last administrator. Make another user an administrator first.',
  },

  // RFC 9110 §15.6.
  audit_unavailable: {
    status: 503,
    sentence: 'The action was not performed, because it could not be written to the audit log.',
    section: 'RFC 9110 §15.6',
  },
  storage_unavailable: {
    status: 503,
    sentence: 'The service is temporarily unavailable. Try again shortly.',
    section: 'RFC 9110 §15.6',
  },
  unexpected_failure: { status: 500, sentence: 'The server encountered an internal error.', section: 'RFC 9110 §15.6' },
}))

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

  constructor(reason: AdminRefusalReason, options: AdminErrorOptions = {}) {
    const { status, sentence } = refusals[reason]
    const { detail = sentence, pointer, cause } = options
    super(detail, { cause })
    this.reason = reason
    this.status = status
    this.detail = detail
    this.pointer = pointer
  }
}

/** Creates the error to throw for a refusal. */
export const refuse = (reason: AdminRefusalReason, options: AdminErrorOptions = {}): AdminError =>
  new AdminError(reason, options)

/** Converts any error to a refusal. The message of an internal failure is not included. */
export function toAdminError(thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown
  // RFC 7591 §3.2.2: the description is a fixed sentence that tells what to change.
  if (thrown instanceof ClientMetadataError) return refuse(thrown.code, { detail: thrown.description, cause: thrown })
  // The failure of a partner is one of our own names, such as http_401.
  if (thrown instanceof ProviderError || thrown instanceof ProvisioningError)
    return refuse(thrown.reason, { detail: thrown.message, cause: thrown })
  // RFC 7644 §3.12 invalidFilter: fixed sentences, and at most a name from our own schema.
  if (thrown instanceof ScimError && thrown.scimType === 'invalidFilter') {
    return refuse('filter_invalid', { detail: thrown.detail, cause: thrown })
  }
  const reason = thrown instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected_failure'
  return refuse(reason, { cause: thrown })
}
