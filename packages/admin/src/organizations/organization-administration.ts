import { randomIdentifier } from '@mintmark/internal'
import { organizationId } from '@mintmark/storage-interface'
import { type OrganizationRecord, untilSettled } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { plainJson } from '../audit/audit-log.ts'
import { refuse } from '../error/refusals.ts'
import { pageOf, type Page, type PageRequest } from '../page.ts'
import { isChosenIdentifier, isDisplayName } from '../text.ts'
import { administerMembers, findOrganization, type MembershipAdministration } from './membership-administration.ts'

/** An organization to create. */
interface NewOrganization {
  /** Letters, digits and `._~@|:+-`, at most 255. Default: random. */
  readonly organizationId?: string | undefined
  readonly displayName: string
}

/** A change of an organization. Members that are left out stay as they are. */
interface OrganizationChange {
  readonly displayName?: string | undefined
}

/** An organization, and the version that a change expects. Without a version the change applies to any version. */
interface OrganizationTarget {
  readonly organizationId: string
  readonly version?: number | undefined
}

/** Organizations and their members. A method throws AdminError if the action is refused or fails. */
export interface OrganizationAdministration extends MembershipAdministration {
  /** Refused: `identifier_invalid`, `identifier_taken`, `display_name_invalid`. */
  create(organization: NewOrganization): Promise<OrganizationRecord>
  /** Refused: `organization_unknown`. The same applies to every method below for one organization. */
  read(id: string): Promise<OrganizationRecord>
  /** Ordered by identifier. */
  list(page?: PageRequest): Promise<Page<OrganizationRecord>>
  /** Also refused: `version_mismatch`, `display_name_invalid`. */
  update(target: OrganizationTarget, change: OrganizationChange): Promise<OrganizationRecord>
  /** Removes an organization for good, with all memberships. The users are kept. */
  remove(target: OrganizationTarget): Promise<void>
}

export const administerOrganizations = (context: AdminContext): OrganizationAdministration => ({
  ...administerMembers(context),
  create: (organization) => createOrganization(organization, context),
  read: (id) => findOrganization(id, context),
  list: (page = {}) =>
    pageOf(page, {
      read: ({ after, limit }) =>
        context.storage.organizations.list({ after: after === undefined ? undefined : organizationId(after), limit }),
      key: (organization) => organization.organizationId,
      view: (organization) => organization,
    }),
  update: (target, change) => updateOrganization(target, change, context),
  remove: (target) => removeOrganization(target, context),
})

function createOrganization(organization: NewOrganization, context: AdminContext): Promise<OrganizationRecord> {
  const { storage, clock, random } = context
  const id = organization.organizationId ?? randomIdentifier(random)
  return audit(
    {
      name: 'organization.created',
      target: { kind: 'organization', id },
      run: async () => {
        if (!isChosenIdentifier(id, 255)) throw refuse('identifier_invalid', { pointer: '/organization_id' })
        requireDisplayName(organization.displayName)
        const now = clock()
        const record = {
          organizationId: organizationId(id),
          displayName: organization.displayName,
          createdAt: now,
          updatedAt: now,
          version: 1,
        }
        const { outcome } = await storage.organizations.insert(record)
        // RFC 9110 §15.5.10: the identifier of a removed organization stays taken.
        if (outcome === 'taken') throw refuse('identifier_taken')
        return { result: record, after: plainJson(record) }
      },
    },
    context,
  )
}

const updateOrganization = (
  target: OrganizationTarget,
  change: OrganizationChange,
  context: AdminContext,
): Promise<OrganizationRecord> =>
  audit(
    {
      name: 'organization.updated',
      target: { kind: 'organization', id: target.organizationId },
      run: () =>
        untilSettled(async () => {
          const before = await findInVersion(target, context)
          const { displayName = before.displayName } = change
          requireDisplayName(displayName)
          const changed = { ...before, displayName, updatedAt: context.clock() }
          const swapped = await context.storage.organizations.compareAndSwap(changed, before.version)
          return swapped.outcome === 'swapped'
            ? { result: swapped.record, before: plainJson(before), after: plainJson(swapped.record) }
            : undefined
        }),
    },
    context,
  )

const removeOrganization = (target: OrganizationTarget, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'organization.removed',
      target: { kind: 'organization', id: target.organizationId },
      run: async () => {
        const before = await findInVersion(target, context)
        const { outcome } = await context.storage.organizations.remove(before.organizationId, context.clock())
        // RFC 9110 §15.5.5: of several concurrent removals one succeeds.
        if (outcome === 'absent') throw refuse('organization_unknown')
        return { result: undefined, before: plainJson(before) }
      },
    },
    context,
  )

async function findInVersion(
  { organizationId: id, version }: OrganizationTarget,
  context: AdminContext,
): Promise<OrganizationRecord> {
  const organization = await findOrganization(id, context)
  // RFC 9110 §15.5.13.
  if (version !== undefined && version !== organization.version) throw refuse('version_mismatch')
  return organization
}

function requireDisplayName(displayName: string): void {
  if (!isDisplayName(displayName)) throw refuse('display_name_invalid', { pointer: '/display_name' })
}
