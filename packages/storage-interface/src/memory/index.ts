export { createMemoryMedium } from './medium.ts'
export type { MemoryMedium } from './medium.ts'
export { createMemoryStorage } from './storage.ts'
export type { MemoryStorageOptions, Pause } from './storage.ts'
