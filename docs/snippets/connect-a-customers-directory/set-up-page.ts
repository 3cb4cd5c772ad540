import { createAdminServer, keepRequestLog } from '@mintmark/admin'
import { createDirectorySetup } from '@mintmark/console'
import { createScimServer } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })

export const admin = createAdminServer({ issuer, storage, authorize: async () => undefined })

/** Its requests are on the page, for seven days. */
export const scim = createScimServer({ issuer, storage, onRequest: keepRequestLog({ storage }) })

/** Serves /directory-setup. */
export const directorySetup = createDirectorySetup({
  admin,
  contact: 'support@example.com',
  branding: { productName: 'Example' },
})
