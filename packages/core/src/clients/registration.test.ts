import { clientId, epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { registerClient } from './registration.ts'

it('refuses a client_id that is the identifier of a user (RFC 9700 §4.15)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.users.insert({ userId: userId('user-1'), claims: {}, createdAt: epochSeconds(1) })

  const registering = registerClient(
    { clientId: 'user-1', clientName: 'Look-alike', redirectUris: ['https://app.test/cb'] },
    { storage },
  )

  await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  expect(await storage.clients.find(clientId('user-1'))).toBeUndefined()
})
