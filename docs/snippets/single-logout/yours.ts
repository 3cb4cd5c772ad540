import { createMemoryStorage } from '@mintmark/storage-interface/memory'

/** Replace this with your database. */
export const storage = createMemoryStorage({ issuer: 'https://login.example' })
