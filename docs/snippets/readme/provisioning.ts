import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createProvisioning } from '@mintmark/provisioning'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' })

export const provisioning = createProvisioning({ storage, keys })

/** Its worker sends users and groups to the partners in `provisioning.targets`. */
export const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  provisioning,
  signedIn: async () => undefined,
})
