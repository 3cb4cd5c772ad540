export { createMemoryDatabase } from './database.ts'
export type { MemoryDatabase } from './database.ts'
export { createMemoryStorage } from './storage.ts'
