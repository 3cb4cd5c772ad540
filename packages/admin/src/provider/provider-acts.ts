import {
  registerIdentityProvider,
  toleranceProfiles,
  type ProviderRegistration,
  type ToleranceProfile,
} from '@mintmark/scim'
import { clientId, providerId } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit, type AuditedAction } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { findClient } from '../client/find-client.ts'
import { AdminError } from '../error/admin-error.ts'
import { isDisplayName } from '../page/identifier.ts'
import { changeProvider, type ProviderTarget } from './change-provider.ts'
import { providerView, type ProviderView } from './provider-view.ts'

/** What an administrator changes of an identity provider; what is left out stays. */
export interface ProviderChange {
  readonly displayName?: string | undefined
  /** What is tolerated in its requests. */
  readonly toleranceProfile?: ToleranceProfile | undefined
  /** Clients that may come with an access token of ours, with the scope `scim`, beside the secret. */
  readonly clientIds?: readonly string[] | undefined
}

/** An identity provider, and its Secret Token: this is the only time that anybody sees it. */
export interface RegisteredProviderView {
  readonly provider: ProviderView
  readonly secret: string
}

export const registerProvider = (
  registration: ProviderRegistration,
  acting: AdminContext,
): Promise<RegisteredProviderView> =>
  audit(
    {
      name: 'provider.registered',
      target: { kind: 'provider', id: registration.providerId },
      run: async () => {
        await requireUsable(registration, acting)
        const { provider, secret } = await registerIdentityProvider(registration, acting)
        const view = providerView(provider, acting.storage.issuer)
        return { result: { provider: view, secret }, after: plainJson(view) }
      },
    },
    acting,
  )

export const updateProvider = (
  target: ProviderTarget,
  change: ProviderChange,
  acting: AdminContext,
): Promise<ProviderView> =>
  act(['updated', target.providerId], acting, async () => {
    await requireUsable(change, acting)
    return changeProvider(
      target,
      (provider) => ({
        ...provider,
        displayName: change.displayName ?? provider.displayName,
        toleranceProfile: change.toleranceProfile ?? provider.toleranceProfile,
        clientIds: change.clientIds?.map(clientId) ?? provider.clientIds,
      }),
      acting,
    )
  })

export const disableProvider = (target: ProviderTarget, acting: AdminContext): Promise<ProviderView> =>
  act(['disabled', target.providerId], acting, () => {
    const now = acting.clock()
    return changeProvider(target, (provider) => ({ ...provider, disabledAt: provider.disabledAt ?? now }), acting)
  })

export const enableProvider = (target: ProviderTarget, acting: AdminContext): Promise<ProviderView> =>
  act(['enabled', target.providerId], acting, () =>
    changeProvider(target, (provider) => ({ ...provider, disabledAt: undefined }), acting),
  )

/** What the provider has ended so far counts no more. */
export const releaseDeprovisioning = (target: ProviderTarget, acting: AdminContext): Promise<ProviderView> =>
  act(['offboarding_released', target.providerId], acting, () =>
    changeProvider(target, (provider) => ({ ...provider, deprovisioning: undefined }), acting),
  )

/** It is disabled first: that is the write that a version can be asked of. */
export const removeProvider = (target: ProviderTarget, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'provider.removed',
      target: { kind: 'provider', id: target.providerId },
      protective: true,
      run: async () => {
        const now = acting.clock()
        const { before } = await changeProvider(
          target,
          (provider) => ({ ...provider, disabledAt: provider.disabledAt ?? now }),
          acting,
        )
        const { outcome } = await acting.storage.identityProviders.remove(providerId(target.providerId), now)
        // RFC 9110 §15.5.5: of several who remove one, one does.
        if (outcome === 'absent') throw new AdminError('provider_unknown')
        return { result: undefined, before }
      },
    },
    acting,
  )

/** @throws AdminError `display_name_invalid` | `tolerance_profile_unknown` | `client_unknown`. */
async function requireUsable(
  { displayName, toleranceProfile, clientIds = [] }: ProviderChange,
  acting: AdminContext,
): Promise<void> {
  // RFC 9110 §15.5.1.
  if (displayName !== undefined && !isDisplayName(displayName))
    throw new AdminError('display_name_invalid', { pointer: '/display_name' })
  // RFC 9110 §15.5.1.
  if (toleranceProfile !== undefined && !Object.hasOwn(toleranceProfiles, toleranceProfile)) {
    throw new AdminError('tolerance_profile_unknown', { pointer: '/tolerance_profile' })
  }
  for (const id of clientIds) await findClient(id, acting)
}

const act = (
  [name, id]: readonly [name: 'updated' | 'disabled' | 'enabled' | 'offboarding_released', providerId: string],
  acting: AdminContext,
  run: AuditedAction<ProviderView>['run'],
): Promise<ProviderView> =>
  audit(
    {
      name: `provider.${name}`,
      target: { kind: 'provider', id },
      ...(name === 'disabled' && { protective: true }),
      run,
    },
    acting,
  )
