export {
  aClientRecord,
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aJoin,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  aPresentation,
  aRefreshRecord,
  aSessionEnd,
  aSessionRecord,
  aSigningKeyRecord,
  aUser,
} from './contract/fixtures.ts'
export { aDecoupledRequest, anApproval } from './contract/decoupled-fixtures.ts'
export {
  aDelivery,
  aGroup,
  aGroupState,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
  anInitialAccessToken,
  aWebhook,
} from './contract/provisioning-fixtures.ts'
