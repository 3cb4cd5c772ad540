import type { SetupMessages } from './languages/messages.ts'

type Problem = keyof SetupMessages['problems']

/** Returns what a refusal of the SCIM server means to the administrator of the directory. */
export const problemOf = (status: number, reason: string): Problem =>
  reasons.get(reason) ?? statuses.get(status) ?? (status >= 500 ? 'failed' : status === 400 ? 'value' : 'other')

/** Reasons that say more than their status. */
const reasons: ReadonlyMap<string, Problem> = new Map([
  ['deprovisioning_suspended', 'suspended'],
  ['change_refused', 'protected'],
  ['revocation_protected', 'protected'],
  ['provider_mismatch', 'credentials'],
  ['scope_missing', 'credentials'],
  ['client_not_of_provider', 'credentials'],
  ['reference_unknown', 'missing'],
  ['member_unknown', 'missing'],
  ['resources_too_many', 'tooLarge'],
  ['members_too_many', 'tooLarge'],
  ['memberships_too_many', 'tooLarge'],
  ['operations_too_many', 'tooLarge'],
  ...[
    'filter_syntax',
    'filter_operator',
    'filter_attribute_unknown',
    'filter_attribute_unsearchable',
    'operation_malformed',
    'operation_unknown',
    'operations_missing',
    'operations_empty',
    'remove_with_value',
    'body_malformed',
    'schemas_missing',
    'schema_unknown',
    'attribute_unknown',
    'query_malformed',
  ].map((reason) => [reason, 'unsupported'] as const),
])

const statuses: ReadonlyMap<number, Problem> = new Map([
  [401, 'credentials'],
  [404, 'missing'],
  [405, 'unsupported'],
  [409, 'taken'],
  [413, 'tooLarge'],
  [415, 'unsupported'],
  [429, 'tooMany'],
])
