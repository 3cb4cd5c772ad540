import { createMemoryMedium, createMemoryStorage } from '@mintmark/storage-interface/memory'

/** Stands for your store. */
export const myStorage = {
  async createEmptyDatabase() {
    const medium = createMemoryMedium()
    return Promise.resolve({
      storageFor: (issuer: string) => createMemoryStorage({ issuer, medium }),
      drop: async () => Promise.resolve(),
    })
  },
}
