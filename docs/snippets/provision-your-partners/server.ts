import { type AuthorizationServerOptions, createAuthorizationServer, type KeyRing } from '@mintmark/core'
import { createProvisioning } from '@mintmark/provisioning'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Creates a server whose worker also sends users and groups to partners. */
export function createServer(
  options: AuthorizationServerOptions & { readonly storage: AdminStorage; readonly keys: KeyRing },
) {
  const { storage, keys } = options
  const provisioning = createProvisioning({
    storage,
    keys,
    // Guests are not provisioned anywhere.
    render: ({ resource }) => (resource['userType'] === 'Guest' ? undefined : resource),
  })
  return { provisioning, server: createAuthorizationServer({ ...options, provisioning }) }
}
