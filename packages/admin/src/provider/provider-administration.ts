import type { ProviderRegistration } from '@mintmark/scim'
import { providerId } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { listLog, type LogEntryView } from '../audit/list-log.ts'
import { pageOf, type Page, type PageRequest } from '../page/page.ts'
import { findProvider } from './find-provider.ts'
import {
  disableProvider,
  enableProvider,
  registerProvider,
  releaseDeprovisioning,
  removeProvider,
  updateProvider,
  type ProviderChange,
  type RegisteredProviderView,
} from './provider-acts.ts'
import type { ProviderTarget } from './change-provider.ts'
import { addSecretToken, endPreviousSecretTokens } from './provider-secret-acts.ts'
import { providerView, type ProviderView } from './provider-view.ts'
import { requestLogOf } from './request-log.ts'
import { providerSetup, type ProviderSetup, type SetupProduct } from './setup-text.ts'

/** Identity providers that provision accounts by SCIM. Each method throws AdminError. */
export interface ProviderAdministration {
  /** The Secret Token is seen here alone. Refused: `identifier_invalid`, `identifier_taken`, and as at `update`. */
  register(registration: ProviderRegistration): Promise<RegisteredProviderView>
  /** Refused: `provider_unknown`, here and below. */
  read(id: string): Promise<ProviderView>
  /** In the order of their identifiers. */
  list(page?: PageRequest): Promise<Page<ProviderView>>
  /** Refused also: `display_name_invalid`, `tolerance_profile_unknown`, `client_unknown`, `version_mismatch`. */
  update(target: ProviderTarget, change: ProviderChange): Promise<ProviderView>
  /** From now on its requests are refused; its accounts stay as they are. */
  disable(target: ProviderTarget): Promise<ProviderView>
  enable(target: ProviderTarget): Promise<ProviderView>
  /** For good: its identifier stays taken, its accounts stay, out of every provider's reach. */
  remove(target: ProviderTarget): Promise<void>
  /**
   * Another Secret Token beside those in use, which end at `previousExpiresAt` (seconds since 1970), if given.
   * @returns the secret, which is seen here alone. Refused: `too_many_secrets`.
   */
  addSecret(id: string, change?: { readonly previousExpiresAt?: number | undefined }): Promise<string>
  /** Ends all its secrets but the newest, at once. */
  endPreviousSecrets(id: string): Promise<void>
  /**
   * Lets a provider end accounts again that was held for having ended too many (`offboardingLimit` of
   * `createScimServer`).
   */
  releaseOffboarding(target: ProviderTarget): Promise<ProviderView>
  /** What is to be done at the identity provider, to send to whoever does it. */
  setup(id: string, product: SetupProduct): Promise<ProviderSetup>
  /** What the provider asked for, the newest first: see `keepRequestLog`. */
  requests(id: string, page?: PageRequest): Promise<Page<LogEntryView>>
}

export const administerProviders = (acting: AdminContext): ProviderAdministration => {
  const { issuer, identityProviders } = acting.storage
  const read = async (id: string): Promise<ProviderView> => providerView(await findProvider(id, acting), issuer)
  return {
    register: (registration) => registerProvider(registration, acting),
    read,
    list: (page = {}) =>
      pageOf(page, {
        read: ({ after, limit }) =>
          identityProviders.list({ after: after === undefined ? undefined : providerId(after), limit }),
        key: (provider) => provider.providerId,
        view: (provider) => providerView(provider, issuer),
      }),
    update: (target, change) => updateProvider(target, change, acting),
    disable: (target) => disableProvider(target, acting),
    enable: (target) => enableProvider(target, acting),
    remove: (target) => removeProvider(target, acting),
    addSecret: (id, change = {}) => addSecretToken(id, change, acting),
    endPreviousSecrets: (id) => endPreviousSecretTokens(id, acting),
    releaseOffboarding: (target) => releaseDeprovisioning(target, acting),
    setup: async (id, product) => providerSetup(await read(id), product),
    requests: async (id, page = {}) => listLog(requestLogOf((await findProvider(id, acting)).providerId), page, acting),
  }
}
