import { withDirectoryRoles } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Give the result to `createAuthorizationServer` and to `createScimServer`. */
export const storageWithRoles = (storage: AdminStorage) =>
  withDirectoryRoles(storage, {
    roles: ['owner', 'auditor', 'support'],
    rules: [
      { scimRole: 'Administrator', role: 'owner' },
      { group: 'Auditors', role: 'auditor' },
      { providerId: 'acme', groupExternalId: '8f31c0de-6a52-4c1b-9d0e-5f3f6f3b7a10', role: 'support' },
    ],
  })
