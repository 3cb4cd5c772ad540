import { registerIdentityProvider } from '@mintmark/scim'
import { providerId, type ScimStorage } from '@mintmark/storage-interface'

import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** The settings for the administrator of the directory. */
export interface ProviderCredentials {
  readonly tenantUrl: string
  readonly secret: string
}

/** The directory of this example. */
export const demoProviderId = 'example-corp'

/**
 * Registers the directory, unless it is registered already. The Secret Token is returned only at registration, so the
 * example writes it to a file.
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
