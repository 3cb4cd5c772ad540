import type { ProviderRegistration } from '@mintmark/scim/engine'
import { providerId } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/audit.ts'
import { listLog, type LogEntryView } from '../audit/audit-log.ts'
import { pageOf, type Page, type PageRequest } from '../page.ts'
import {
  addSecretToken,
  disableProvider,
  enableProvider,
  registerProvider,
  releaseDeprovisioning,
  removeProvider,
  revokePreviousSecretTokens,
  updateProvider,
  type CreatedProvider,
  deactivateUsersOf,
  type DeactivatedUsers,
  type ProviderChange,
  type ProviderTarget,
} from './provider-changes.ts'
import {
  type ProviderSetup,
  type ProviderView,
  type SetupProduct,
  findProvider,
  providerSetup,
  providerView,
  requestLogOf,
} from './provider-view.ts'
import { createSetupLink, type CreatedSetupLink, revokeSetupLink } from './setup-link.ts'

/**
 * Identity providers that provision users through SCIM. A method throws AdminError if the action is refused or fails.
 */
export interface ProviderAdministration {
  /**
   * Registers an identity provider. Its Secret Token cannot be read again. Refused: `identifier_invalid`,
   * `identifier_taken`, and as for `update`.
   */
  register(registration: ProviderRegistration): Promise<CreatedProvider>
  /** Refused: `provider_unknown`. The same applies to every method below for one provider. */
  read(id: string): Promise<ProviderView>
  /** Ordered by identifier. */
  list(page?: PageRequest): Promise<Page<ProviderView>>
  /**
   * Also refused: `display_name_invalid`, `tolerance_profile_unknown`, `client_unknown`, `organization_unknown`,
   * `domain_invalid`, `assertions_invalid`, `version_mismatch`.
   */
  update(target: ProviderTarget, change: ProviderChange): Promise<ProviderView>
  /** Disables a provider: its requests are refused from now on. Its users are not changed. */
  disable(target: ProviderTarget): Promise<ProviderView>
  enable(target: ProviderTarget): Promise<ProviderView>
  /** Removes a provider for good. Its identifier stays taken. Its users are kept, and no provider can change them. */
  remove(target: ProviderTarget): Promise<void>
  /**
   * Adds a Secret Token. The current ones stay valid, until `previousExpiresAt` (seconds since 1970) if it is given.
   * Returns the new secret, which cannot be read again. Refused: `too_many_secrets`.
   */
  addSecret(id: string, change?: { readonly previousExpiresAt?: number | undefined }): Promise<string>
  /** Revokes all secrets except the newest. */
  revokePreviousSecrets(id: string): Promise<void>
  /**
   * Allows a provider to deprovision users again after it reached the limit (`deprovisioningLimit` of
   * `createScimServer`).
   */
  releaseDeprovisioning(target: ProviderTarget): Promise<ProviderView>
  /**
   * Blocks up to `limit` users of a disabled or removed provider, and revokes everything issued to them. Repeat it with
   * `after` until `next` is undefined. It can be interrupted and started again. The last administrators stay active.
   * Refused: `provider_enabled`.
   */
  deactivateUsers(id: string, page?: PageRequest): Promise<DeactivatedUsers>
  /**
   * Creates a link with which the customer's IT sets up this provider on the page of `createDirectorySetup`, in place of
   * an earlier link. It works for `lifetime` seconds, at most 2592000 (30 days); 604800 (7 days) by default. Also
   * refused: `setup_link_invalid`.
   */
  createSetupLink(id: string, link?: { readonly lifetime?: number | undefined }): Promise<CreatedSetupLink>
  /** Revokes the set-up link at once, also for those who have opened it. */
  revokeSetupLink(id: string): Promise<void>
  /** Returns instructions for the administrator of the identity provider. */
  setup(id: string, product: SetupProduct): Promise<ProviderSetup>
  /** Lists the requests of the provider, newest first: see `keepRequestLog`. */
  requests(id: string, page?: PageRequest): Promise<Page<LogEntryView>>
}

export const administerProviders = (context: AdminContext): ProviderAdministration => {
  const { issuer, identityProviders } = context.storage
  const read = async (id: string): Promise<ProviderView> => providerView(await findProvider(id, context), issuer)
  return {
    register: (registration) => registerProvider(registration, context),
    read,
    list: (page = {}) =>
      pageOf(page, {
        read: ({ after, limit }) =>
          identityProviders.list({ after: after === undefined ? undefined : providerId(after), limit }),
        key: (provider) => provider.providerId,
        view: (provider) => providerView(provider, issuer),
      }),
    update: (target, change) => updateProvider(target, change, context),
    disable: (target) => disableProvider(target, context),
    enable: (target) => enableProvider(target, context),
    remove: (target) => removeProvider(target, context),
    addSecret: (id, change = {}) => addSecretToken(id, change, context),
    revokePreviousSecrets: (id) => revokePreviousSecretTokens(id, context),
    releaseDeprovisioning: (target) => releaseDeprovisioning(target, context),
    deactivateUsers: (id, page = {}) => deactivateUsersOf(id, page, context),
    createSetupLink: (id, link = {}) => createSetupLink(id, link, context),
    revokeSetupLink: (id) => revokeSetupLink(id, context),
    setup: async (id, product) => providerSetup(await read(id), product),
    requests: async (id, page = {}) =>
      listLog(requestLogOf((await findProvider(id, context)).providerId), page, context),
  }
}
