export {
  aClientRecord,
  aCodeRecord,
  aDelivery,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aJoin,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  aPresentation,
  aSessionEnd,
  aSessionRecord,
  aSigningKeyRecord,
  aUser,
} from './contract/fixtures.ts'
export {
  aGroup,
  aGroupState,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
} from './contract/provisioning-fixtures.ts'
