import type { ScimErrorType } from './scim-error-type.ts'

const notValid = 'The secret token is not valid.'
const notForProvider = 'These credentials are not for this identity provider.'

/**
 * All refusals: the reason, for operators and tests, and the status, scimType and detail that the identity provider receives (RFC
 * 7644 §3.12, table 9).
 */
export const refusals = {
  // Authentication: RFC 7644 §2, RFC 6750 §3.1. All invalid credentials get the same sentence.
  credentials_missing: [
    401,
    undefined,
    'Present the secret token of this identity provider as Authorization: Bearer.',
    'RFC 6750 §3.1',
  ],
  credentials_twice: [400, undefined, 'Present the secret token once.', 'RFC 6750 §2'],
  credentials_malformed: [401, undefined, notValid, 'RFC 6750 §3.1'],
  secret_unknown: [401, undefined, notValid, 'RFC 6750 §3.1'],
  secret_expired: [401, undefined, notValid, 'RFC 6750 §3.1'],
  provider_disabled: [401, undefined, notValid, 'RFC 6750 §3.1'],
  access_token_invalid: [401, undefined, notValid, 'RFC 6750 §3.1'],
  provider_mismatch: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  scope_missing: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  client_not_of_provider: [403, undefined, notForProvider, 'RFC 6750 §3.1'],
  user_not_of_provider: [403, undefined, notForProvider, 'RFC 7644 §6'],

  // URL, method and media type: RFC 7644 §3.2, §3.8, §3.12; RFC 9110 §13 and §15.5.
  path_not_found: [404, undefined, 'There is nothing at this address.', 'RFC 7644 §3.12'],
  resource_not_found: [404, undefined, 'There is no such resource.', 'RFC 7644 §3.12'],
  method_not_allowed: [405, undefined, 'This address does not answer this method.', 'RFC 9110 §15.5.6'],
  message_too_large: [413, undefined, 'The message is larger than this server reads.', 'RFC 9110 §15.5.14'],
  media_type: [
    415,
    undefined,
    'Send the message as application/scim+json or application/json, in UTF-8.',
    'RFC 7644 §3.8',
  ],
  version_mismatch: [
    412,
    undefined,
    'The resource is not in a version that If-Match and If-None-Match ask for.',
    'RFC 9110 §13.1',
  ],
  query_malformed: [400, 'invalidSyntax', 'The query is malformed, or repeats a parameter.', 'RFC 7644 §3.12'],

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
    'The resource refers to one that this identity provider does not have.',
    'RFC 7643 §2.3.7',
  ],
  group_name_taken: [409, 'uniqueness', 'The displayName belongs to another group.', 'RFC 7644 §3.12'],
  member_unknown: [
    400,
    'invalidValue',
    'A member is not a user or another group of this identity provider.',
    'RFC 7644 §3.12',
  ],
  change_refused: [403, undefined, 'This user is protected from changes by identity providers.', 'RFC 7644 §3.12'],
  deprovisioning_suspended: [
    403,
    undefined,
    'Too many users were deactivated or removed in a short time. An administrator of this service must allow more first.',
    'RFC 7644 §3.12',
  ],
  // RFC 6585 §4.
  too_many_requests: [429, undefined, 'Too many requests. Wait as long as Retry-After says.', 'RFC 6585 §4'],
  server_full: [
    503,
    undefined,
    'The service has too many large messages in memory. Try again shortly.',
    'RFC 9110 §15.6',
  ],
  storage_unavailable: [503, undefined, 'The service cannot answer now. Try again shortly.', 'RFC 9110 §15.6'],
  unexpected_failure: [500, undefined, 'The service failed to answer.', 'RFC 9110 §15.6'],

  // The message as a whole: RFC 7644 §3.12 invalidSyntax; RFC 9110 §15.5.14 for messages that are too large.
  body_malformed: [400, 'invalidSyntax', 'The request body must be a JSON object.', 'RFC 7644 §3.12'],
  body_too_deep: [400, 'invalidSyntax', 'The request body is nested more deeply than any schema.', 'RFC 7644 §3.12'],
  body_too_large: [413, undefined, 'The request body holds too many values.', 'RFC 9110 §15.5.14'],
  member_repeated: [
    400,
    'invalidSyntax',
    'An attribute is given twice. Attribute names do not differ by case.',
    'RFC 7644 §3.12',
  ],
  schemas_missing: [
    400,
    'invalidSyntax',
    'The schemas attribute must list the schema of this message.',
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
    'The request body holds an attribute that the schema does not define.',
    'RFC 7644 §3.12',
  ],

  resources_too_many: [
    403,
    undefined,
    'This identity provider has as many resources of this type as it may have.',
    'RFC 7644 §3.12',
  ],
  members_too_many: [400, 'invalidValue', 'The group would have more members than it may have.', 'RFC 7644 §3.12'],
  memberships_too_many: [400, 'invalidValue', 'A member would be in more groups than it may be in.', 'RFC 7644 §3.12'],
  resource_too_large: [413, undefined, 'The resource is larger than this server stores.', 'RFC 9110 §15.5.14'],

  // Values: RFC 7644 §3.12 invalidValue and mutability.
  value_missing: [400, 'invalidValue', 'The operation needs a value.', 'RFC 7644 §3.12'],
  value_required: [400, 'invalidValue', 'A required attribute is missing or empty.', 'RFC 7644 §3.12'],
  value_type: [
    400,
    'invalidValue',
    'A value does not have the type that the schema defines for its attribute.',
    'RFC 7644 §3.12',
  ],
  value_characters: [
    400,
    'invalidValue',
    'A value holds characters that its attribute does not admit.',
    'RFC 7644 §3.12',
  ],
  value_too_long: [400, 'invalidValue', 'A value is longer than its attribute admits.', 'RFC 7644 §3.12'],
  value_too_many: [400, 'invalidValue', 'An attribute has more values than it admits.', 'RFC 7644 §3.12'],
  value_primary_twice: [
    400,
    'invalidValue',
    'Only one value of an attribute can be the primary one.',
    'RFC 7644 §3.12',
  ],
  attribute_read_only: [400, 'mutability', 'The attribute is read-only.', 'RFC 7644 §3.12'],
  attribute_immutable: [400, 'mutability', 'The attribute cannot change once it has a value.', 'RFC 7644 §3.12'],
  attribute_required: [400, 'mutability', 'A required attribute cannot be removed.', 'RFC 7644 §3.12'],

  // Filters: RFC 7644 §3.4.2.2.
  filter_repeated: [400, 'invalidFilter', 'Give one filter.', 'RFC 7644 §3.4.2.2'],
  filter_empty: [400, 'invalidFilter', 'The filter is empty.', 'RFC 7644 §3.4.2.2'],
  filter_too_long: [400, 'invalidFilter', 'The filter is longer than this server reads.', 'RFC 7644 §3.4.2.2'],
  filter_too_deep: [400, 'invalidFilter', 'The filter is nested more than 20 levels deep.', 'RFC 7644 §3.4.2.2'],
  filter_too_large: [400, 'invalidFilter', 'The filter has more parts than this server reads.', 'RFC 7644 §3.4.2.2'],
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
    'The operator does not apply to the type of its attribute.',
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
    'The filter tests an attribute in a way that this server cannot search by.',
    'RFC 7644 §3.4.2.2',
  ],

  // Lists: RFC 7644 §3.4.2, §3.4.3; cursors: RFC 9865 §2.1.
  page_malformed: [400, 'invalidValue', 'The startIndex and the count of a page are integers.', 'RFC 7644 §3.4.2.4'],
  sort_attribute: [
    400,
    'invalidValue',
    'The sortBy attribute does not exist, or has no value to sort by.',
    'RFC 7644 §3.4.2.3',
  ],
  sort_order: [400, 'invalidValue', 'The sortOrder is ascending or descending.', 'RFC 7644 §3.4.2.3'],
  too_many_matches: [
    400,
    'tooMany',
    'The filter asks for more work than this server does for one request. Make it more selective.',
    'RFC 7644 §3.4.2',
  ],
  page_too_large: [
    400,
    'tooMany',
    'The resources are larger than a page. Ask for fewer by count, use a cursor, or exclude attributes.',
    'RFC 7644 §3.4.2',
  ],
  too_many_members: [
    400,
    'tooMany',
    'The groups have more members than a page holds. Ask for fewer by count, or use excludedAttributes=members.',
    'RFC 7644 §3.4.2',
  ],
  search_malformed: [
    400,
    'invalidSyntax',
    'A member of the search request does not have the type that it should have.',
    'RFC 7644 §3.4.3',
  ],
  cursor_invalid: [
    400,
    'invalidCursor',
    'The cursor is not one of this query. Leave it empty for the first page.',
    'RFC 9865 §2.1',
  ],
  cursor_expired: [400, 'expiredCursor', 'The cursor has expired. Begin again with an empty one.', 'RFC 9865 §2.1'],
  count_out_of_range: [
    400,
    'invalidCount',
    'With a cursor, the count must be between 0 and the maximum page size.',
    'RFC 9865 §2.1',
  ],
  count_changed: [400, 'invalidCount', 'With a cursor, the count is the same for all pages.', 'RFC 9865 §2.1'],

  // Discovery: RFC 7644 §4; unsupported endpoints: §3.11.
  discovery_filtered: [403, undefined, 'What this server publishes about itself is not filtered.', 'RFC 7644 §4'],
  me_not_offered: [501, undefined, 'There is no /Me: an identity provider is not a user.', 'RFC 7644 §3.11'],

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
    'A remove operation takes no value. Name the values in a filter in its path.',
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
    'Only a complex attribute with several values can be selected by a filter in the path.',
    'RFC 7644 §3.5.2',
  ],
  path_missing: [400, 'noTarget', 'A remove operation needs a path.', 'RFC 7644 §3.5.2'],
  path_no_match: [400, 'noTarget', 'No value matches the filter in the path.', 'RFC 7644 §3.5.2'],

  // Bulk: RFC 7644 §3.7.
  bulk_operations_missing: [400, 'invalidSyntax', 'A bulk request needs an Operations array.', 'RFC 7644 §3.7'],
  bulk_operation_malformed: [
    400,
    'invalidSyntax',
    'A bulk operation is an object with a path and the method POST, PUT, PATCH or DELETE.',
    'RFC 7644 §3.7',
  ],
  bulk_id_missing: [400, 'invalidSyntax', 'A bulk operation with the method POST needs a bulkId.', 'RFC 7644 §3.7'],
  bulk_id_repeated: [
    400,
    'invalidSyntax',
    'Two bulk operations with the method POST have one bulkId.',
    'RFC 7644 §3.7',
  ],
  bulk_errors_malformed: [
    400,
    'invalidSyntax',
    'The failOnErrors of a bulk request is an integer from 1 to the maximum number of operations.',
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
    'The path of a POST is the endpoint of a resource type, such as /Users; of other methods, a resource below it.',
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
    'The operation refers to what was not created, or in a circle to itself.',
    'RFC 7644 §3.7',
  ],

  // Projection: RFC 7644 §3.9.
  projection_both: [
    400,
    'invalidSyntax',
    'Only one of attributes and excludedAttributes can be given.',
    'RFC 7644 §3.9',
  ],
  projection_too_many: [400, 'invalidSyntax', 'Too many attribute names are given.', 'RFC 7644 §3.9'],
} as const satisfies Record<
  string,
  readonly [status: number, scimType: ScimErrorType | undefined, detail: string, section: Section]
>

/** A section of a public standard, such as `RFC 9110 §15.5.5`. */
type Section = `${string} §${string}`

/** Why a SCIM request was refused, for operators and tests; never sent to an identity provider. */
export type ScimRefusalReason = keyof typeof refusals
