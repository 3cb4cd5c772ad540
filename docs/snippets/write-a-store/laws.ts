import { oauthLaws } from '@mintmark/storage-interface/contract'
import { test } from 'vitest'
import { createMyDatabase } from './my-storage.ts'

test.for(oauthLaws)('$name', (law) =>
  law.run(async () => {
    const database = createMyDatabase()
    return { open: async (issuer) => database.storageFor(issuer), close: async () => {} }
  }),
)
