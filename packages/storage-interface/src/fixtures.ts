export {
  aClientRecord,
  aCodeRecord,
  aDelivery,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPresentation,
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
