import { createMemoryStorage } from '@mintmark/storage-interface/memory'

/** For tests and first steps: everything is lost when the process ends. */
export const storage = createMemoryStorage({ issuer: 'https://id.example.com' })
