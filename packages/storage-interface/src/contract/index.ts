export type { StorageUnderTest } from './law.ts'
export { agentLaws } from './laws/agent-laws.ts'
export { adminLaws, completeOAuthLaws, deliveryLaws, oauthLaws, scimLaws } from './laws.ts'
