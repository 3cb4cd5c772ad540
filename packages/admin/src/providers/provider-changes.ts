// Over 250 lines: every change of an identity provider is in this file, because most of them use `changeStored`
// or `usersOf`.

import {
  addProviderSecret,
  revokePreviousProviderSecrets,
  registerIdentityProvider,
  type ToleranceProfile,
} from '@mintmark/scim'
import type { ProviderAssertions, ProviderRegistration } from '@mintmark/scim/engine'
import { requireAssertions, verifiedDomains, toleranceProfiles } from '@mintmark/scim/engine'
import { clientId, organizationId, providerId } from '@mintmark/storage-interface'
import { type IdentityProviderRecord, untilSettled } from '@mintmark/storage-interface/stores'

import { type AdminContext, type AuditedResult, audit, auditChange } from '../audit/audit.ts'
import { plainJson } from '../audit/audit-log.ts'
import type { AdminAction } from '../audit/admin-event.ts'
import { findClient } from '../clients/client-view.ts'
import { AdminError, refuse } from '../error/refusals.ts'
import { findOrganization } from '../organizations/membership-administration.ts'
import { pageLimit, type PageRequest } from '../page.ts'
import { isDisplayName, isIdentifier } from '../text.ts'
import { deactivateUser } from '../users/user-lifecycle.ts'
import { findProvider, providerView, type ProviderView } from './provider-view.ts'

/** An identity provider, and the version that a change expects. Without a version the change applies to any version. */
export interface ProviderTarget {
  readonly providerId: string
  readonly version?: number | undefined
}

/** A change of an identity provider. Members that are left out stay as they are. */
export interface ProviderChange {
  readonly displayName?: string | undefined
  /** The deviations from the RFCs that are accepted in its requests. */
  readonly toleranceProfile?: ToleranceProfile | undefined
  /** Clients that may authenticate as the provider with an access token that has the scope value `scim`. */
  readonly clientIds?: readonly string[] | undefined
  /** The e-mail domains that belong to the customer. They apply to users that are written from now on. */
  readonly verifiedDomains?: readonly string[] | undefined
  /**
   * The organization that all present and future users of the provider become members of; `null` for none. No user is
   * removed from another organization.
   */
  readonly organizationId?: string | null | undefined
  /** The issuer and the keys of what the provider signs itself: its requests for Universal Logout; `null` for none. */
  readonly assertions?: ProviderAssertions | null | undefined
}

/** An identity provider, and its Secret Token, which cannot be read again; undefined if it has none. */
export interface CreatedProvider {
  readonly provider: ProviderView
  readonly secret: string | undefined
}

export const registerProvider = (registration: ProviderRegistration, context: AdminContext): Promise<CreatedProvider> =>
  audit(
    {
      name: 'provider.registered',
      target: target(registration.providerId),
      run: async () => {
        await requireUsable(registration, context)
        const { storage, clock, random } = context
        const { provider, secret } = await registerIdentityProvider(registration, { storage, clock, random })
        const view = providerView(provider, context.storage.issuer)
        return { result: { provider: view, secret }, after: plainJson(view) }
      },
    },
    context,
  )

export const updateProvider = (
  provider: ProviderTarget,
  change: ProviderChange,
  context: AdminContext,
): Promise<ProviderView> =>
  audit(
    {
      name: 'provider.updated',
      target: target(provider.providerId),
      run: async () => {
        await requireUsable(change, context)
        const updated = await changeStored(
          provider,
          (before) => ({
            ...before,
            displayName: change.displayName ?? before.displayName,
            toleranceProfile: change.toleranceProfile ?? before.toleranceProfile,
            clientIds: change.clientIds?.map(clientId) ?? before.clientIds,
            verifiedDomains:
              (change.verifiedDomains && verifiedDomains(change.verifiedDomains)) ?? before.verifiedDomains,
            organizationId: organizationAfter(before, change),
            assertions: assertionsAfter(before, change),
          }),
          context,
        )
        // Even if the organization is unchanged: repeating an interrupted call must complete it.
        if (typeof change.organizationId === 'string')
          await joinAll(providerId(provider.providerId), change.organizationId, context)
        return updated
      },
    },
    context,
  )

const organizationAfter = (
  before: IdentityProviderRecord,
  { organizationId: id }: ProviderChange,
): IdentityProviderRecord['organizationId'] =>
  id === undefined ? before.organizationId : id === null ? undefined : organizationId(id)

const assertionsAfter = (
  before: IdentityProviderRecord,
  { assertions }: ProviderChange,
): IdentityProviderRecord['assertions'] =>
  assertions === undefined ? before.assertions : assertions === null ? undefined : requireAssertions(assertions)

/** Makes all users of a provider members of an organization. Existing members keep their roles. */
async function joinAll(
  provider: IdentityProviderRecord['providerId'],
  organization: string,
  { storage, clock }: AdminContext,
): Promise<void> {
  const now = clock()
  let after: string | undefined
  do {
    const listed = await usersOf(provider, { after, limit: 200 }, storage)
    const member = {
      organizationId: organizationId(organization),
      roles: [],
      createdAt: now,
      updatedAt: now,
      version: 1,
    }
    for (const { userId } of listed.records) await storage.organizations.insertMember({ ...member, userId })
    after = listed.next
  } while (after !== undefined)
}

/** Reads a page of a provider's users, without their groups. */
async function usersOf(
  provider: IdentityProviderRecord['providerId'],
  page: { readonly after: string | undefined; readonly limit: number },
  { provisionedUsers }: AdminContext['storage'],
) {
  const listed = await provisionedUsers.list({
    providerId: provider,
    filter: undefined,
    sort: undefined,
    page: { kind: 'cursor', ...page },
    without: 'groups',
  })
  // RFC 7644 §3.12 tooMany.
  if (listed.outcome === 'tooMany') throw refuse('filter_too_broad')
  return listed
}

export const disableProvider = (provider: ProviderTarget, context: AdminContext): Promise<ProviderView> =>
  audit(
    {
      name: 'provider.disabled',
      target: target(provider.providerId),
      protective: true,
      run: () => disableStored(provider, context),
    },
    context,
  )

export const enableProvider = (provider: ProviderTarget, context: AdminContext): Promise<ProviderView> =>
  auditUpdate(['provider.enabled', provider], context, (before) => ({ ...before, disabledAt: undefined }))

/** Resets the count of deprovisioned users, so that the provider may deprovision users again. */
export const releaseDeprovisioning = (provider: ProviderTarget, context: AdminContext): Promise<ProviderView> =>
  auditUpdate(['provider.deprovisioning_released', provider], context, (before) => ({
    ...before,
    deprovisioning: undefined,
  }))

/** Removes an identity provider. Disables it first, because that write can check a version. */
export const removeProvider = (provider: ProviderTarget, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'provider.removed',
      target: target(provider.providerId),
      protective: true,
      run: async () => {
        const { before } = await disableStored(provider, context)
        const { identityProviders } = context.storage
        const { outcome } = await identityProviders.remove(providerId(provider.providerId), context.clock())
        // RFC 9110 §15.5.5: of several concurrent removals one succeeds.
        if (outcome === 'absent') throw refuse('provider_unknown')
        return { result: undefined, before }
      },
    },
    context,
  )

/** The result of deactivating one page of a provider's users. */
export interface DeactivatedUsers {
  readonly deactivated: number
  /** How many users stay active, because nobody else administers what they administer. */
  readonly kept: number
  /** The `after` of the next page; undefined after the last one. */
  readonly next: string | undefined
}

/**
 * Blocks one page of the users of a provider. The provider must be disabled or removed, so that it cannot create new
 * users.
 */
export const deactivateUsersOf = (id: string, page: PageRequest, context: AdminContext): Promise<DeactivatedUsers> =>
  audit(
    {
      name: 'provider.users_deactivated',
      target: target(id),
      protective: true,
      run: async () => {
        const { storage } = context
        const limit = pageLimit(page)
        const owner = isIdentifier(id, 64) ? providerId(id) : undefined
        if (owner === undefined) throw refuse('provider_unknown')
        const provider = await storage.identityProviders.find(owner)
        // RFC 9110 §15.5.10: an enabled provider could create users faster than this deactivates them.
        if (provider !== undefined && provider.disabledAt === undefined) throw refuse('provider_enabled')
        const listed = await usersOf(owner, { after: page.after, limit }, storage)
        let deactivated = 0
        let kept = 0
        for (const user of listed.records.filter(({ active }) => active)) {
          if (await deactivateUnlessLast(user.userId, context)) deactivated += 1
          else kept += 1
        }
        return { result: { deactivated, kept, next: listed.next }, after: { deactivated, kept } }
      },
    },
    context,
  )

async function deactivateUnlessLast(id: string, context: AdminContext): Promise<boolean> {
  try {
    await deactivateUser(id, context)
    return true
  } catch (error) {
    if (error instanceof AdminError && error.reason === 'last_administrator') return false
    // The user was removed since the page was read: nothing is left to deactivate.
    if (error instanceof AdminError && error.reason === 'user_unknown') return true
    throw error
  }
}

/** Returns the new Secret Token, which cannot be read again. */
export const addSecretToken = (
  id: string,
  { previousExpiresAt }: { readonly previousExpiresAt?: number | undefined },
  context: AdminContext,
): Promise<string> =>
  auditChange(
    {
      name: 'provider.secret_added',
      target: target(id),
      read: () => readLogged(id, context),
      change: () => addProviderSecret(id, previousExpiresAt === undefined ? {} : { previousExpiresAt }, context),
    },
    context,
  )

export const revokePreviousSecretTokens = (id: string, context: AdminContext): Promise<void> =>
  auditChange(
    {
      name: 'provider.previous_secrets_ended',
      target: target(id),
      protective: true,
      read: () => readLogged(id, context),
      change: () => revokePreviousProviderSecrets(id, context),
    },
    context,
  )

const readLogged = async (id: string, context: AdminContext) =>
  plainJson(providerView(await findProvider(id, context), context.storage.issuer))

type ChangeProvider = (provider: IdentityProviderRecord) => IdentityProviderRecord

const auditUpdate = (
  [name, provider]: readonly [name: AdminAction, provider: ProviderTarget],
  context: AdminContext,
  change: ChangeProvider,
): Promise<ProviderView> =>
  audit({ name, target: target(provider.providerId), run: () => changeStored(provider, change, context) }, context)

function disableStored(provider: ProviderTarget, context: AdminContext): Promise<AuditedResult<ProviderView>> {
  const now = context.clock()
  return changeStored(provider, (before) => ({ ...before, disabledAt: before.disabledAt ?? now }), context)
}

/**
 * Changes a provider in one compare-and-swap.
 * @throws AdminError `provider_unknown` | `version_mismatch`.
 */
export const changeStored = (
  { providerId, version }: ProviderTarget,
  change: ChangeProvider,
  context: AdminContext,
): Promise<AuditedResult<ProviderView>> =>
  untilSettled(async () => {
    const { storage } = context
    const before = await findProvider(providerId, context)
    // RFC 9110 §15.5.13.
    if (version !== undefined && version !== before.version) throw refuse('version_mismatch')
    const swapped = await storage.identityProviders.compareAndSwap(change(before), before.version)
    if (swapped.outcome !== 'swapped') return undefined
    const result = providerView(swapped.record, storage.issuer)
    return { result, before: plainJson(providerView(before, storage.issuer)), after: plainJson(result) }
  })

/**
 * @throws AdminError `display_name_invalid` | `tolerance_profile_unknown` | `client_unknown` | `organization_unknown`.
 */
async function requireUsable(
  { displayName, toleranceProfile, clientIds = [], organizationId: organization }: ProviderChange,
  context: AdminContext,
): Promise<void> {
  // RFC 9110 §15.5.1.
  if (displayName !== undefined && !isDisplayName(displayName))
    throw refuse('display_name_invalid', { pointer: '/display_name' })
  // RFC 9110 §15.5.1.
  if (toleranceProfile !== undefined && !Object.hasOwn(toleranceProfiles, toleranceProfile)) {
    throw refuse('tolerance_profile_unknown', { pointer: '/tolerance_profile' })
  }
  for (const id of clientIds) await findClient(id, context)
  if (typeof organization === 'string') await findOrganization(organization, context)
}

const target = (id: string) => ({ kind: 'provider' as const, id })
