// One file: one table of all refusals of the SCIM server.

import { defineRefusals } from '@mintmark/internal'

const notValid = 'The secret token is not valid.'
const notSigned = 'The signed token is not valid for this identity provider and this URL.'
const notForProvider = 'These credentials are not for this identity provider.'

const unauthorized = { status: 401, section: 'RFC 6750 §3.1' } as const
const forbidden = { status: 403, section: 'RFC 6750 §3.1' } as const
const invalidFilter = { status: 400, code: 'invalidFilter', section: 'RFC 7644 §3.4.2.2' } as const
const invalidValue = { status: 400, code: 'invalidValue', section: 'RFC 7644 §3.12' } as const
const invalidSyntax = { status: 400, code: 'invalidSyntax', section: 'RFC 7644 §3.12' } as const
const invalidBulk = { status: 400, code: 'invalidSyntax', section: 'RFC 7644 §3.7' } as const
const invalidPatch = { status: 400, code: 'invalidSyntax', section: 'RFC 7644 §3.5.2' } as const
const taken = { status: 409, code: 'uniqueness', section: 'RFC 7644 §3.12' } as const
const tooMany = { status: 400, code: 'tooMany', section: 'RFC 7644 §3.4.2' } as const
const unavailable = { status: 503, section: 'RFC 9110 §15.6' } as const
const refused = { status: 403, section: 'RFC 7644 §3.12' } as const
const tooLarge = { status: 413, section: 'RFC 9110 §15.5.14' } as const
const mutability = { status: 400, code: 'mutability', section: 'RFC 7644 §3.12' } as const
const invalidPath = { status: 400, code: 'invalidPath', section: 'RFC 7644 §3.5.2' } as const

/** Every refusal. Its code is the scimType (RFC 7644 §3.12, table 9). */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  // Authentication: RFC 7644 §2, RFC 6750 §3.1. All wrong secrets and tokens get the same sentence.
  credentials_missing: {
    ...unauthorized,
    sentence: 'Send the secret token of this identity provider in the Authorization header, as a Bearer token.',
  },
  credentials_twice: { status: 400, sentence: 'Send the secret token only once.', section: 'RFC 6750 §2' },
  credentials_malformed: {
    ...unauthorized,
    sentence: 'Send the secret token of this identity provider as one Bearer token, and not in another scheme.',
  },
  // It has not the form of a secret token: it is truncated, or has further characters.
  secret_malformed: { ...unauthorized, sentence: notValid },
  secret_unknown: { ...unauthorized, sentence: notValid },
  secret_expired: { ...unauthorized, sentence: notValid },
  provider_disabled: { ...unauthorized, sentence: notValid },
  access_token_invalid: { ...unauthorized, sentence: notValid },
  // Universal Logout: all invalid tokens get the same sentence.
  revocation_token_invalid: { ...unauthorized, sentence: notSigned },
  revocation_token_replayed: { status: 401, sentence: notSigned, section: 'RFC 7519 §4.1.7' },
  revocation_keys_unavailable: {
    ...unavailable,
    sentence: 'The keys of this identity provider could not be fetched. Try again shortly.',
  },
  provider_mismatch: { ...forbidden, sentence: notForProvider },
  scope_missing: { ...forbidden, sentence: notForProvider },
  client_not_of_provider: { ...forbidden, sentence: notForProvider },
  user_not_of_provider: { status: 403, sentence: notForProvider, section: 'RFC 7644 §6' },

  // URL, method and media type: RFC 7644 §3.2, §3.8, §3.12; RFC 9110 §13 and §15.5.
  path_not_found: { status: 404, sentence: 'This path does not exist.', section: 'RFC 7644 §3.12' },
  resource_not_found: { status: 404, sentence: 'There is no such resource.', section: 'RFC 7644 §3.12' },
  method_not_allowed: { status: 405, sentence: 'This path does not accept this method.', section: 'RFC 9110 §15.5.6' },
  message_too_large: { ...tooLarge, sentence: 'The request body is too large.' },
  media_type: {
    status: 415,
    sentence: 'The Content-Type must be application/scim+json or application/json, in UTF-8.',
    section: 'RFC 7644 §3.8',
  },
  version_mismatch: {
    status: 412,
    sentence: 'The version of the resource does not meet the condition in If-Match or If-None-Match.',
    section: 'RFC 9110 §13.1',
  },
  query_malformed: { ...invalidSyntax, sentence: 'The query string is malformed or repeats a parameter.' },

  // Conflicts with stored data: RFC 7644 §3.12. Overload and failures: RFC 6585 §4, RFC 9110 §15.6.
  user_name_taken: { ...taken, sentence: 'The userName belongs to another user.' },
  external_id_taken: { ...taken, sentence: 'The externalId belongs to another resource.' },
  value_taken: { ...taken, sentence: 'A value that must be unique belongs to another resource of this type.' },
  reference_unknown: {
    status: 400,
    code: 'invalidValue',
    sentence: 'The resource refers to a resource that this identity provider does not have.',
    section: 'RFC 7643 §2.3.7',
  },
  agent_owner_inactive: {
    ...invalidValue,
    sentence: 'The owner of an active agent must be an active user of this identity provider.',
  },
  agent_blocked: { ...refused, sentence: 'An administrator has disabled this agent.' },
  group_name_taken: { ...taken, sentence: 'The displayName belongs to another group.' },
  member_unknown: {
    ...invalidValue,
    sentence: 'Each member must be a user or another group of this identity provider.',
  },
  change_refused: { ...refused, sentence: 'This user is protected from changes by identity providers.' },
  revocation_subject_invalid: {
    status: 400,
    sentence: 'Send exactly one subject, in the format email or iss_sub.',
    section: 'RFC 9493 §3',
  },
  revocation_subject_unknown: {
    status: 404,
    sentence: 'This identity provider has no such user.',
    section: 'RFC 9110 §15.5.5',
  },
  revocation_protected: {
    status: 422,
    sentence: 'This user is protected from changes by identity providers.',
    section: 'RFC 9110 §15.5.21',
  },
  deprovisioning_suspended: {
    ...refused,
    sentence:
      'Too many users were deactivated or removed in a short time. An administrator of this service must release this identity provider first.',
  },
  // RFC 6585 §4.
  too_many_requests: {
    status: 429,
    sentence: 'Too many requests. Wait for the number of seconds in the Retry-After header.',
    section: 'RFC 6585 §4',
  },
  server_full: { ...unavailable, sentence: 'The service is processing too many large requests. Try again shortly.' },
  storage_unavailable: { ...unavailable, sentence: 'The service is temporarily unavailable. Try again shortly.' },
  unexpected_failure: { status: 500, sentence: 'The server encountered an internal error.', section: 'RFC 9110 §15.6' },

  // The message as a whole: RFC 7644 §3.12 invalidSyntax; RFC 9110 §15.5.14 for messages that are too large.
  body_malformed: { ...invalidSyntax, sentence: 'The request body must be a JSON object.' },
  body_too_deep: { ...invalidSyntax, sentence: 'The request body is nested more deeply than any schema allows.' },
  body_too_large: { ...tooLarge, sentence: 'The request body contains too many values.' },
  member_repeated: { ...invalidSyntax, sentence: 'An attribute occurs twice. Attribute names are case-insensitive.' },
  schemas_missing: {
    ...invalidSyntax,
    sentence: 'The schemas attribute must list the schema of this message, and none of another one.',
  },
  schema_unknown: {
    ...invalidSyntax,
    sentence: 'The schemas attribute lists a schema that this resource type does not have.',
  },
  attribute_unknown: {
    ...invalidSyntax,
    sentence: 'The request body contains an attribute that the schema does not define.',
  },

  resources_too_many: {
    ...refused,
    sentence: 'This identity provider has reached the maximum number of resources of this type.',
  },
  members_too_many: { ...invalidValue, sentence: 'The group would exceed the maximum number of members.' },
  memberships_too_many: {
    ...invalidValue,
    sentence: 'A member would exceed the maximum number of groups that it may belong to.',
  },
  resource_too_large: { ...tooLarge, sentence: 'The resource exceeds the maximum size.' },

  // Values: RFC 7644 §3.12 invalidValue and mutability.
  value_missing: { ...invalidValue, sentence: 'The operation needs a value.' },
  value_required: {
    ...invalidValue,
    sentence:
      'A required attribute is missing or empty, or a value has no sub-attribute that the schema defines. Send a null or an empty list to clear a list.',
  },
  value_type: {
    ...invalidValue,
    sentence: 'A value does not have the type that the schema defines for its attribute.',
  },
  value_characters: { ...invalidValue, sentence: 'A value contains characters that its attribute does not allow.' },
  value_too_long: { ...invalidValue, sentence: 'A value is longer than its attribute allows.' },
  value_too_many: { ...invalidValue, sentence: 'An attribute has too many values.' },
  value_primary_twice: { ...invalidValue, sentence: 'At most one value of an attribute can be primary.' },
  attribute_read_only: { ...mutability, sentence: 'The attribute is read-only.' },
  attribute_immutable: { ...mutability, sentence: 'The attribute cannot change once it has a value.' },
  attribute_required: { ...mutability, sentence: 'A required attribute cannot be removed.' },

  // Filters: RFC 7644 §3.4.2.2.
  filter_repeated: { ...invalidFilter, sentence: 'Send only one filter.' },
  filter_empty: { ...invalidFilter, sentence: 'The filter is empty.' },
  filter_too_long: { ...invalidFilter, sentence: 'The filter is too long.' },
  filter_too_deep: { ...invalidFilter, sentence: 'The filter is nested more than 20 levels deep.' },
  filter_too_large: { ...invalidFilter, sentence: 'The filter has too many parts.' },
  filter_syntax: { ...invalidFilter, sentence: 'The filter does not follow the grammar of RFC 7644 section 3.4.2.2.' },
  filter_value_malformed: {
    ...invalidFilter,
    sentence: 'A value of the filter is not a JSON string, number, boolean or null.',
  },
  filter_value_too_long: { ...invalidFilter, sentence: 'A value of the filter is longer than 1024 characters.' },
  filter_attribute_unknown: {
    ...invalidFilter,
    sentence: 'The filter names an attribute that this resource type does not have.',
  },
  filter_attribute_secret: { ...invalidFilter, sentence: 'The filter names an attribute that is never returned.' },
  filter_operator: {
    ...invalidFilter,
    sentence: 'An operator of the filter does not support the type of its attribute.',
  },
  filter_value_type: { ...invalidFilter, sentence: 'A value of the filter does not have the type of its attribute.' },
  filter_attribute_unsearchable: {
    ...invalidFilter,
    sentence: 'This server cannot search by an attribute of the filter in this way.',
  },

  // Lists: RFC 7644 §3.4.2, §3.4.3; cursors: RFC 9865 §2.1.
  page_malformed: {
    status: 400,
    code: 'invalidValue',
    sentence: 'The startIndex and count parameters must be integers.',
    section: 'RFC 7644 §3.4.2.4',
  },
  sort_attribute: {
    status: 400,
    code: 'invalidValue',
    sentence: 'The sortBy attribute does not exist, or resources cannot be sorted by it.',
    section: 'RFC 7644 §3.4.2.3',
  },
  sort_order: {
    status: 400,
    code: 'invalidValue',
    sentence: 'The sortOrder must be ascending or descending.',
    section: 'RFC 7644 §3.4.2.3',
  },
  too_many_matches: {
    ...tooMany,
    sentence: 'The filter requires too much work for one request. Make it more selective.',
  },
  sort_too_many: {
    ...tooMany,
    sentence:
      'There are too many resources to sort them by this attribute. Send a filter, or sort by id, meta.created or meta.lastModified; users also by userName and by the attributes that this service declares as indexed; groups also by displayName.',
  },
  page_too_large: {
    ...tooMany,
    sentence: 'The resources are too large for one page. Request a smaller count, use a cursor, or exclude attributes.',
  },
  too_many_members: {
    ...tooMany,
    sentence:
      'The groups have too many members for one page. Request a smaller count, or use excludedAttributes=members.',
  },
  search_malformed: {
    status: 400,
    code: 'invalidSyntax',
    sentence: 'A member of the search request has the wrong type.',
    section: 'RFC 7644 §3.4.3',
  },
  cursor_invalid: {
    status: 400,
    code: 'invalidCursor',
    sentence: 'The cursor does not belong to this query. Send an empty cursor to get the first page.',
    section: 'RFC 9865 §2.1',
  },
  cursor_expired: {
    status: 400,
    code: 'expiredCursor',
    sentence: 'The cursor has expired. Start again with an empty cursor.',
    section: 'RFC 9865 §2.1',
  },
  count_out_of_range: {
    status: 400,
    code: 'invalidCount',
    sentence: 'With a cursor, the count must be between 0 and the maximum page size.',
    section: 'RFC 9865 §2.1',
  },
  count_changed: {
    status: 400,
    code: 'invalidCount',
    sentence: 'With a cursor, the count must be the same for all pages.',
    section: 'RFC 9865 §2.1',
  },

  // Discovery: RFC 7644 §4; unsupported endpoints: §3.11.
  discovery_filtered: { status: 403, sentence: 'Discovery endpoints do not support filters.', section: 'RFC 7644 §4' },
  me_not_offered: {
    status: 501,
    sentence: 'This server does not support /Me, because an identity provider is not a user.',
    section: 'RFC 7644 §3.11',
  },

  // PATCH: RFC 7644 §3.5.2.
  operations_missing: { ...invalidPatch, sentence: 'A PATCH request needs an Operations array.' },
  operations_empty: { ...invalidPatch, sentence: 'A PATCH request needs at least one operation.' },
  operations_too_many: {
    status: 413,
    sentence: 'The request has too many operations, or its operations compare too many values.',
    section: 'RFC 7644 §3.5.2',
  },
  operation_malformed: { ...invalidPatch, sentence: 'A PATCH operation must be an object with op, path and value.' },
  operation_unknown: { ...invalidPatch, sentence: 'The op of a PATCH operation must be add, remove or replace.' },
  remove_with_value: {
    ...invalidPatch,
    sentence: 'A remove operation must not have a value. Select the values with a filter in its path.',
  },
  path_syntax: { ...invalidPath, sentence: 'The path does not follow the grammar of RFC 7644 section 3.5.2.' },
  path_unknown: { ...invalidPath, sentence: 'The path names an attribute that this resource type does not have.' },
  path_filter: { ...invalidPath, sentence: 'A filter in the path requires a multi-valued complex attribute.' },
  path_missing: {
    status: 400,
    code: 'noTarget',
    sentence: 'A remove operation needs a path.',
    section: 'RFC 7644 §3.5.2',
  },
  path_no_match: {
    status: 400,
    code: 'noTarget',
    sentence: 'No value matches the filter in the path.',
    section: 'RFC 7644 §3.5.2',
  },

  // Bulk: RFC 7644 §3.7.
  bulk_operations_missing: { ...invalidBulk, sentence: 'A bulk request needs an Operations array.' },
  bulk_operation_malformed: {
    ...invalidBulk,
    sentence: 'A bulk operation must be an object with a path and the method POST, PUT, PATCH or DELETE.',
  },
  bulk_id_missing: { ...invalidBulk, sentence: 'A bulk operation with the method POST needs a bulkId.' },
  bulk_id_repeated: { ...invalidBulk, sentence: 'Two bulk operations with the method POST have the same bulkId.' },
  bulk_errors_malformed: {
    ...invalidBulk,
    sentence: 'The failOnErrors member must be an integer from 1 to the maximum number of operations.',
  },
  bulk_too_large: {
    status: 413,
    sentence: 'The bulk request has more operations than ServiceProviderConfig allows.',
    section: 'RFC 7644 §3.7',
  },
  bulk_path: {
    ...invalidBulk,
    sentence:
      'The path of a POST must be the endpoint of a resource type, such as /Users. Any other method needs the path of a resource, such as /Users/1.',
  },
  bulk_id_unknown: {
    status: 400,
    code: 'invalidValue',
    sentence: 'The operation refers to a bulkId that no POST of this request has.',
    section: 'RFC 7644 §3.7',
  },
  bulk_id_unresolved: {
    status: 409,
    sentence: 'The operation refers to a resource that was not created, or operations refer to each other in a cycle.',
    section: 'RFC 7644 §3.7',
  },

  // Projection: RFC 7644 §3.9.
  projection_both: {
    status: 400,
    code: 'invalidSyntax',
    sentence: 'Send either attributes or excludedAttributes, not both.',
    section: 'RFC 7644 §3.9',
  },
  projection_too_many: {
    status: 400,
    code: 'invalidSyntax',
    sentence: 'The request lists too many attribute names.',
    section: 'RFC 7644 §3.9',
  },
}))

/** Why a SCIM request was refused, for operators and tests; never sent to an identity provider. */
export type ScimRefusalReason = keyof typeof refusals
