export { LawViolationError } from './law.ts'
export type { StorageUnderTest } from './law.ts'
export { adminLaws, oauthLaws, scimLaws } from './laws.ts'
