export { columnsOf, snakeCase, tableColumns } from './records/define-record.ts'
export type {
  Column,
  ColumnName,
  Field,
  FieldKind,
  Fields,
  RecordDefinition,
  RecordOf,
} from './records/define-record.ts'
export { jsonCodec } from './records/json-codec.ts'
export type { JsonCodec } from './records/json-codec.ts'
export { authenticationFields, codes } from './authorization-code.ts'
export { changes } from './change.ts'
export { clients, statusClients } from './client.ts'
export { cursors } from './cursor.ts'
export { customResources } from './custom-resource.ts'
export { approvalFields, decoupledRequests } from './decoupled-request.ts'
export { deliveries } from './delivery.ts'
export { grants } from './grant.ts'
export { groups } from './group.ts'
export { identityProviders } from './identity-provider.ts'
export { initialAccessTokens } from './initial-access-token.ts'
export { interactions, loginFields } from './interaction.ts'
export { logs } from './log-entry.ts'
export { opaqueTokens } from './opaque-token.ts'
export { memberships, organizations } from './organization.ts'
export { provisionedUsers } from './provisioned-user.ts'
export { pushedRequests } from './pushed-request.ts'
export { boundSessions, sessionParticipants, sessions } from './session.ts'
export { signingKeys } from './signing-key.ts'
export { subjects } from './subject.ts'
export { families } from './token-family.ts'
export { webhooks } from './webhook.ts'
export { users } from './user.ts'
