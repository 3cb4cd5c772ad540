import { adminLaws } from '@mintmark/storage-interface/contract'
import { test } from 'vitest'
import { myStorage } from './my-storage.ts'

test.for(adminLaws)('$name', (law) =>
  law.run(async () => {
    const database = await myStorage.createEmptyDatabase()
    return { open: async (issuer) => database.storageFor(issuer), close: () => database.drop() }
  }),
)
