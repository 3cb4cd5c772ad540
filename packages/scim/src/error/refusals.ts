// One file: one table of all refusals of the SCIM server.

import type { ScimErrorType } from './scim-error-type.ts'

const notValid = 'The secret token is not valid.'
const notSigned = 'The signed token is not valid for this identity provider and this URL.'
const notForProvider = 'These credentials are not for this identity provider.'

/**
 * All refusals: the reason, for operators and tests, and the status, scimType and detail that the identity provider
 * receives (RFC 7644 §3.12, table 9).
 */
export const refusals = {
  // Authentication: RFC 7644 §2, RFC 6750 §3.1. All invalid credentials get the same sentence.
  credentials_missing: [
    401,
    undefined,
    'Send the secret token of this identity provider in the Authorization header, as a Bearer token.',
    'RFC 6750 §3.1',
  ],
  credentials_twice: [400, undefined, 'Send the secret token only once.', 'RFC 6750 §2'],
  credentials_malformed: [401, undefined, notValid, 'RFC 6750 §3.1'],
  secret_unknown: [401, undefined, notValid, 'RFC 6750 §3.1'],
  secret_expired: [401, undefined, notValid, 'RFC 6750 §3.1'],
  provider_disabled: [401, undefined, notValid, 'RFC 6750 §3.1'],
  access_token_invalid: [401, undefined, notValid, 'RFC 6750 §3.1'],
  // Universal Logout: all invalid tokens get the same sentence.
  revocation_token_invalid: [401, undefined, notSigned, 'RFC 6750 §3.1'],
  revocation_token_replayed: [401, undefined, notSigned, 'RFC 7519 §4.1.7'],
  revocation_keys_unavailable: [
    503,
    undefined,
    'The keys of this identity provider could not be fetched. Try again shortly.',
    'RFC 9110 §15.6',
  ],
  provider_mismatch: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  scope_missing: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  client_not_of_provider: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  user_not_of_provider: [403, undefined, notForProvider, 'RFC 7644 §6'],

  // URL, method and media type: RFC 7644 §3.2, §3.8, §3.12; RFC 9110 §13 and §15.5.
  path_not_found: [404, undefined, 'This path does not exist.', 'RFC 7644 §3.12'],
  resource_not_found: [404, undefined, 'There is no such resource.', 'RFC 7644 §3.12'],
  method_not_allowed: [405, undefined, 'This path does not accept this method.', 'RFC 9110 §15.5.6'],
  message_too_large: [413, undefined, 'The request body is too large.', 'RFC 9110 §15.5.14'],
  media_type: [
    415,
    undefined,
    'The Content-Type must be application/scim+json or application/json, in UTF-8.',
    'RFC 7644 §3.8',
  ],
  version_mismatch: [
    412,
    undefined,
    'The version of the resource does not meet the condition in If-Match or If-None-Match.',
    'RFC 9110 §13.1',
  ],
  query_malformed: [400, 'invalidSyntax', 'The query string is malformed or repeats a parameter.', 'RFC 7644 §3.12'],

  // Conflicts with stored data: RFC 7644 §3.12. Overload and failures: RFC 6585 §4, RFC 9110 §15.6.
  user_name_taken: [409, 'uniqueness', 'The userName belongs to another user.', 'RFC 7644 §3.12'],
  external_id_taken: [409, 'uniqueness', 'The externalId belongs to another resource.', 'RFC 7644 §3.12'],
  value_taken: [
    409,
    'uniqueness',
    'A value that must be unique belongs to another resource of this type.',
    'RFC 7644 §3.12',
  ],
  reference_unknown: [
    400,
    'invalidValue',
    'The resource refers to a resource that this identity provider does not have.',
    'RFC 7643 §2.3.7',
  ],
  agent_owner_inactive: [
    400,
    'invalidValue',
    'The owner of an active agent must be an active user of this identity provider.',
    'RFC 7644 §3.12',
  ],
  agent_blocked: [403, undefined, 'An administrator has disabled this agent.', 'RFC 7644 §3.12'],
  group_name_taken: [409, 'uniqueness', 'The displayName belongs to another group.', 'RFC 7644 §3.12'],
  member_unknown: [
    400,
    'invalidValue',
    'Each member must be a user or another group of this identity provider.',
    'RFC 7644 §3.12',
  ],
  change_refused: [403, undefined, 'This user is protected from changes by identity providers.', 'RFC 7644 §3.12'],
  revocation_subject_invalid: [
    400,
    undefined,
    'Send exactly one subject, in the format email or iss_sub.',
    'RFC 9493 §3',
  ],
  revocation_subject_unknown: [404, undefined, 'This identity provider has no such user.', 'RFC 9110 §15.5.5'],
  revocation_protected: [
    422,
    undefined,
    'This user is protected from changes by identity providers.',
    'RFC 9110 §15.5.21',
  ],
  deprovisioning_suspended: [
    403,
    undefined,
    'Too many users were deactivated or removed in a short time. An administrator of this service must release this identity provider first.',
    'RFC 7644 §3.12',
  ],
  // RFC 6585 §4.
  too_many_requests: [
    429,
    undefined,
    'Too many requests. Wait for the number of seconds in the Retry-After header.',
    'RFC 6585 §4',
  ],
  server_full: [
    503,
    undefined,
    'The service is processing too many large requests. Try again shortly.',
    'RFC 9110 §15.6',
  ],
  storage_unavailable: [503, undefined, 'The service is temporarily unavailable. Try again shortly.', 'RFC 9110 §15.6'],
  unexpected_failure: [500, undefined, 'The server encountered an internal error.', 'RFC 9110 §15.6'],

  // The message as a whole: RFC 7644 §3.12 invalidSyntax; RFC 9110 §15.5.14 for messages that are too large.
  body_malformed: [400, 'invalidSyntax', 'The request body must be a JSON object.', 'RFC 7644 §3.12'],
  body_too_deep: [
    400,
    'invalidSyntax',
    'The request body is nested more deeply than any schema allows.',
    'RFC 7644 §3.12',
  ],
  body_too_large: [413, undefined, 'The request body contains too many values.', 'RFC 9110 §15.5.14'],
  member_repeated: [
    400,
    'invalidSyntax',
    'An attribute occurs twice. Attribute names are case-insensitive.',
    'RFC 7644 §3.12',
  ],
  schemas_missing: [
    400,
    'invalidSyntax',
    'The schemas attribute must list the schema of this message, and none of another one.',
    'RFC 7644 §3.12',
  ],
  schema_unknown: [
    400,
    'invalidSyntax',
    'The schemas attribute lists a schema that this resource type does not have.',
    'RFC 7644 §3.12',
  ],
  attribute_unknown: [
    400,
    'invalidSyntax',
    'The request body contains an attribute that the schema does not define.',
    'RFC 7644 §3.12',
  ],

  resources_too_many: [
    403,
    undefined,
    'This identity provider has reached the maximum number of resources of this type.',
    'RFC 7644 §3.12',
  ],
  members_too_many: [400, 'invalidValue', 'The group would exceed the maximum number of members.', 'RFC 7644 §3.12'],
  memberships_too_many: [
    400,
    'invalidValue',
    'A member would exceed the maximum number of groups that it may belong to.',
    'RFC 7644 §3.12',
  ],
  resource_too_large: [413, undefined, 'The resource exceeds the maximum size.', 'RFC 9110 §15.5.14'],

  // Values: RFC 7644 §3.12 invalidValue and mutability.
  value_missing: [400, 'invalidValue', 'The operation needs a value.', 'RFC 7644 §3.12'],
  value_required: [
    400,
    'invalidValue',
    'A required attribute is missing or empty, or a value has no sub-attribute that the schema defines. Send a null or an empty list to clear a list.',
    'RFC 7644 §3.12',
  ],
  value_type: [
    400,
    'invalidValue',
    'A value does not have the type that the schema defines for its attribute.',
    'RFC 7644 §3.12',
  ],
  value_characters: [
    400,
    'invalidValue',
    'A value contains characters that its attribute does not allow.',
    'RFC 7644 §3.12',
  ],
  value_too_long: [400, 'invalidValue', 'A value is longer than its attribute allows.', 'RFC 7644 §3.12'],
  value_too_many: [400, 'invalidValue', 'An attribute has too many values.', 'RFC 7644 §3.12'],
  value_primary_twice: [400, 'invalidValue', 'At most one value of an attribute can be primary.', 'RFC 7644 §3.12'],
  attribute_read_only: [400, 'mutability', 'The attribute is read-only.', 'RFC 7644 §3.12'],
  attribute_immutable: [400, 'mutability', 'The attribute cannot change once it has a value.', 'RFC 7644 §3.12'],
  attribute_required: [400, 'mutability', 'A required attribute cannot be removed.', 'RFC 7644 §3.12'],

  // Filters: RFC 7644 §3.4.2.2.
  filter_repeated: [400, 'invalidFilter', 'Send only one filter.', 'RFC 7644 §3.4.2.2'],
  filter_empty: [400, 'invalidFilter', 'The filter is empty.', 'RFC 7644 §3.4.2.2'],
  filter_too_long: [400, 'invalidFilter', 'The filter is too long.', 'RFC 7644 §3.4.2.2'],
  filter_too_deep: [400, 'invalidFilter', 'The filter is nested more than 20 levels deep.', 'RFC 7644 §3.4.2.2'],
  filter_too_large: [400, 'invalidFilter', 'The filter has too many parts.', 'RFC 7644 §3.4.2.2'],
  filter_syntax: [
    400,
    'invalidFilter',
    'The filter does not follow the grammar of RFC 7644 section 3.4.2.2.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_value_malformed: [
    400,
    'invalidFilter',
    'A value of the filter is not a JSON string, number, boolean or null.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_value_too_long: [
    400,
    'invalidFilter',
    'A value of the filter is longer than 1024 characters.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_attribute_unknown: [
    400,
    'invalidFilter',
    'The filter names an attribute that this resource type does not have.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_attribute_secret: [
    400,
    'invalidFilter',
    'The filter names an attribute that is never returned.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_operator: [
    400,
    'invalidFilter',
    'An operator of the filter does not support the type of its attribute.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_value_type: [
    400,
    'invalidFilter',
    'A value of the filter does not have the type of its attribute.',
    'RFC 7644 §3.4.2.2',
  ],
  filter_attribute_unsearchable: [
    400,
    'invalidFilter',
    'This server cannot search by an attribute of the filter in this way.',
    'RFC 7644 §3.4.2.2',
  ],

  // Lists: RFC 7644 §3.4.2, §3.4.3; cursors: RFC 9865 §2.1.
  page_malformed: [400, 'invalidValue', 'The startIndex and count parameters must be integers.', 'RFC 7644 §3.4.2.4'],
  sort_attribute: [
    400,
    'invalidValue',
    'The sortBy attribute does not exist, or resources cannot be sorted by it.',
    'RFC 7644 §3.4.2.3',
  ],
  sort_order: [400, 'invalidValue', 'The sortOrder must be ascending or descending.', 'RFC 7644 §3.4.2.3'],
  too_many_matches: [
    400,
    'tooMany',
    'The filter requires too much work for one request. Make it more selective.',
    'RFC 7644 §3.4.2',
  ],
  sort_too_many: [
    400,
    'tooMany',
    'There are too many resources to sort them by this attribute. Send a filter, or sort by id, meta.created or meta.lastModified; users also by userName and by the attributes that this service declares as indexed; groups also by displayName.',
    'RFC 7644 §3.4.2',
  ],
  page_too_large: [
    400,
    'tooMany',
    'The resources are too large for one page. Request a smaller count, use a cursor, or exclude attributes.',
    'RFC 7644 §3.4.2',
  ],
  too_many_members: [
    400,
    'tooMany',
    'The groups have too many members for one page. Request a smaller count, or use excludedAttributes=members.',
    'RFC 7644 §3.4.2',
  ],
  search_malformed: [400, 'invalidSyntax', 'A member of the search request has the wrong type.', 'RFC 7644 §3.4.3'],
  cursor_invalid: [
    400,
    'invalidCursor',
    'The cursor does not belong to this query. Send an empty cursor to get the first page.',
    'RFC 9865 §2.1',
  ],
  cursor_expired: [400, 'expiredCursor', 'The cursor has expired. Start again with an empty cursor.', 'RFC 9865 §2.1'],
  count_out_of_range: [
    400,
    'invalidCount',
    'With a cursor, the count must be between 0 and the maximum page size.',
    'RFC 9865 §2.1',
  ],
  count_changed: [400, 'invalidCount', 'With a cursor, the count must be the same for all pages.', 'RFC 9865 §2.1'],

  // Discovery: RFC 7644 §4; unsupported endpoints: §3.11.
  discovery_filtered: [403, undefined, 'Discovery endpoints do not support filters.', 'RFC 7644 §4'],
  me_not_offered: [
    501,
    undefined,
    'This server does not support /Me, because an identity provider is not a user.',
    'RFC 7644 §3.11',
  ],

  // PATCH: RFC 7644 §3.5.2.
  operations_missing: [400, 'invalidSyntax', 'A PATCH request needs an Operations array.', 'RFC 7644 §3.5.2'],
  operations_empty: [400, 'invalidSyntax', 'A PATCH request needs at least one operation.', 'RFC 7644 §3.5.2'],
  operations_too_many: [
    413,
    undefined,
    'The request has too many operations, or its operations compare too many values.',
    'RFC 7644 §3.5.2',
  ],
  operation_malformed: [
    400,
    'invalidSyntax',
    'A PATCH operation must be an object with op, path and value.',
    'RFC 7644 §3.5.2',
  ],
  operation_unknown: [
    400,
    'invalidSyntax',
    'The op of a PATCH operation must be add, remove or replace.',
    'RFC 7644 §3.5.2',
  ],
  remove_with_value: [
    400,
    'invalidSyntax',
    'A remove operation must not have a value. Select the values with a filter in its path.',
    'RFC 7644 §3.5.2',
  ],
  path_syntax: [
    400,
    'invalidPath',
    'The path does not follow the grammar of RFC 7644 section 3.5.2.',
    'RFC 7644 §3.5.2',
  ],
  path_unknown: [
    400,
    'invalidPath',
    'The path names an attribute that this resource type does not have.',
    'RFC 7644 §3.5.2',
  ],
  path_filter: [
    400,
    'invalidPath',
    'A filter in the path requires a multi-valued complex attribute.',
    'RFC 7644 §3.5.2',
  ],
  path_missing: [400, 'noTarget', 'A remove operation needs a path.', 'RFC 7644 §3.5.2'],
  path_no_match: [400, 'noTarget', 'No value matches the filter in the path.', 'RFC 7644 §3.5.2'],

  // Bulk: RFC 7644 §3.7.
  bulk_operations_missing: [400, 'invalidSyntax', 'A bulk request needs an Operations array.', 'RFC 7644 §3.7'],
  bulk_operation_malformed: [
    400,
    'invalidSyntax',
    'A bulk operation must be an object with a path and the method POST, PUT, PATCH or DELETE.',
    'RFC 7644 §3.7',
  ],
  bulk_id_missing: [400, 'invalidSyntax', 'A bulk operation with the method POST needs a bulkId.', 'RFC 7644 §3.7'],
  bulk_id_repeated: [
    400,
    'invalidSyntax',
    'Two bulk operations with the method POST have the same bulkId.',
    'RFC 7644 §3.7',
  ],
  bulk_errors_malformed: [
    400,
    'invalidSyntax',
    'The failOnErrors member must be an integer from 1 to the maximum number of operations.',
    'RFC 7644 §3.7',
  ],
  bulk_too_large: [
    413,
    undefined,
    'The bulk request has more operations than ServiceProviderConfig allows.',
    'RFC 7644 §3.7',
  ],
  bulk_path: [
    400,
    'invalidSyntax',
    'The path of a POST must be the endpoint of a resource type, such as /Users. Any other method needs the path of a resource, such as /Users/1.',
    'RFC 7644 §3.7',
  ],
  bulk_id_unknown: [
    400,
    'invalidValue',
    'The operation refers to a bulkId that no POST of this request has.',
    'RFC 7644 §3.7',
  ],
  bulk_id_unresolved: [
    409,
    undefined,
    'The operation refers to a resource that was not created, or operations refer to each other in a cycle.',
    'RFC 7644 §3.7',
  ],

  // Projection: RFC 7644 §3.9.
  projection_both: [400, 'invalidSyntax', 'Send either attributes or excludedAttributes, not both.', 'RFC 7644 §3.9'],
  projection_too_many: [400, 'invalidSyntax', 'The request lists too many attribute names.', 'RFC 7644 §3.9'],
} as const satisfies Record<
  string,
  readonly [status: number, scimType: ScimErrorType | undefined, detail: string, section: Section]
>

/** A section of a public standard, such as `RFC 9110 §15.5.5`. */
type Section = `${string} §${string}`

/** Why a SCIM request was refused, for operators and tests; never sent to an identity provider. */
export type ScimRefusalReason = keyof typeof refusals
