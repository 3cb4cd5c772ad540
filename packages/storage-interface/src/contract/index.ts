export type { StorageUnderTest } from './law.ts'
export { adminLaws, deliveryLaws, oauthLaws, scimLaws } from './laws.ts'
