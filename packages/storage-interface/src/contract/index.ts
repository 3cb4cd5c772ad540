export type { StorageUnderTest } from './law.ts'
export { adminLaws, completeOAuthLaws, deliveryLaws, oauthLaws, scimLaws } from './laws.ts'
