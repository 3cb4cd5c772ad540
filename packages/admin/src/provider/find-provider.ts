import { providerId, type IdentityProviderRecord, type Storage } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'

/** @throws AdminError `provider_unknown`. */
export async function findProvider(
  id: string,
  { storage }: { readonly storage: Storage },
): Promise<IdentityProviderRecord> {
  const provider = isIdentifier(id, 64) ? await storage.identityProviders.find(providerId(id)) : undefined
  // RFC 9110 §15.5.5.
  if (provider === undefined) throw new AdminError('provider_unknown')
  return provider
}
