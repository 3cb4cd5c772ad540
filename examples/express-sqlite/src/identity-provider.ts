import { registerIdentityProvider } from '@mintmark/scim'
import { providerId, type ScimStorage } from '@mintmark/storage-interface'

import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** What the administrator of the directory pastes there. */
export interface ProviderCredentials {
  readonly tenantUrl: string
  readonly secret: string
}

/** The one directory of this example. */
export const demoProviderId = 'example-corp'

/**
 * Registers the directory. Its Secret Token is shown once, at registration, so the example keeps it: in a file of its own,
 * as an administrator would keep it in the directory.
 */
export async function registerDemoProvider(storage: ScimStorage, file: string): Promise<ProviderCredentials> {
  const text = await readPrivateFile(file)
  const isRegistered = (await storage.identityProviders.find(providerId(demoProviderId))) !== undefined
  if (text !== undefined && isRegistered) return JSON.parse(text) as ProviderCredentials

  const { tenantUrl, secret } = await registerIdentityProvider(
    { providerId: demoProviderId, displayName: 'Example Corp', toleranceProfile: 'all' },
    { storage },
  )
  await writePrivateFile(file, `${JSON.stringify({ tenantUrl, secret }, undefined, 2)}\n`)
  return { tenantUrl, secret }
}
