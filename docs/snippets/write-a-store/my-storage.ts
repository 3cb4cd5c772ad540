import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

/** Replace this with your store. */
export const myStorage = {
  async createEmptyDatabase() {
    const medium = createMemoryDatabase()
    return Promise.resolve({
      storageFor: (issuer: string) => createMemoryStorage({ issuer, database: medium }),
      drop: async () => Promise.resolve(),
    })
  },
}
