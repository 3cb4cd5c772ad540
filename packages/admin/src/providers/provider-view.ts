import { tenantUrl } from '@mintmark/scim'
import { type AdminStorage, type JsonObject, providerId } from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { plainJson } from '../audit/audit-log.ts'
import { secretView, type SecretView } from '../clients/client-view.ts'
import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../text.ts'

/** An identity provider as administrators see it: the stored record without the digests of its secrets. */
export interface ProviderView extends Omit<IdentityProviderRecord, 'secrets'> {
  /** The SCIM Tenant URL, which is entered at the identity provider. */
  readonly tenantUrl: string
  readonly secrets: readonly SecretView[]
}

/** @throws AdminError `provider_unknown`. */
export async function findProvider(
  id: string,
  { storage }: { readonly storage: AdminStorage },
): Promise<IdentityProviderRecord> {
  const provider = isIdentifier(id, 64) ? await storage.identityProviders.find(providerId(id)) : undefined
  // RFC 9110 §15.5.5.
  if (provider === undefined) throw new AdminError('provider_unknown')
  return provider
}

export const providerView = ({ secrets, ...provider }: IdentityProviderRecord, issuer: string): ProviderView => ({
  ...provider,
  tenantUrl: tenantUrl(issuer, provider.providerId),
  secrets: secrets.map(secretView),
})

/** An identity provider as the audit log stores it: the deprovisioning count has the names of the column. */
export function loggedProvider({ deprovisioning, ...provider }: ProviderView): JsonObject {
  if (deprovisioning === undefined) return plainJson(provider)
  const { windowStartedAt, count, suspendedAt } = deprovisioning
  return plainJson({ ...provider, offboarding: { windowStartedAt, count, heldAt: suspendedAt } })
}
