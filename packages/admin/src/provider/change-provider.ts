import { untilSettled, type IdentityProviderRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import type { AuditedResult } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { AdminError } from '../error/admin-error.ts'
import { findProvider } from './find-provider.ts'
import { providerView, type ProviderView } from './provider-view.ts'

/**
 * Which identity provider is meant, and in which version: with one, a change that another one has overtaken is refused.
 */
export interface ProviderTarget {
  readonly providerId: string
  readonly version?: number | undefined
}

/**
 * Changes a provider in one compare-and-swap.
 * @throws AdminError `provider_unknown` | `version_mismatch`.
 */
export const changeProvider = (
  { providerId, version }: ProviderTarget,
  change: (provider: IdentityProviderRecord) => IdentityProviderRecord,
  acting: AdminContext,
): Promise<AuditedResult<ProviderView>> =>
  untilSettled(async () => {
    const { storage } = acting
    const before = await findProvider(providerId, acting)
    // RFC 9110 §15.5.13.
    if (version !== undefined && version !== before.version) throw new AdminError('version_mismatch')
    const swapped = await storage.identityProviders.compareAndSwap(change(before), before.version)
    if (swapped.outcome !== 'swapped') return undefined
    const result = providerView(swapped.record, storage.issuer)
    return { result, before: plainJson(providerView(before, storage.issuer)), after: plainJson(result) }
  })
