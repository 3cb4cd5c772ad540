import { randomIdentifier } from '@mintmark/core/runtime'
import { organizationId, untilSettled, type OrganizationRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { AdminError } from '../error/admin-error.ts'
import { isChosenIdentifier, isDisplayName } from '../page/identifier.ts'
import { findOrganization } from './find-organization.ts'

/** An organization as it begins. */
export interface NewOrganization {
  /** Letters, digits and `._~@|:+-`, at most 255. Default: random. */
  readonly organizationId?: string | undefined
  readonly displayName: string
}

/** What is left out stays. */
export interface OrganizationChange {
  readonly displayName?: string | undefined
}

/** Which organization is meant, and in which version. */
export interface OrganizationTarget {
  readonly organizationId: string
  readonly version?: number | undefined
}

export function createOrganization(organization: NewOrganization, acting: AdminContext): Promise<OrganizationRecord> {
  const { storage, clock, random } = acting
  const id = organization.organizationId ?? randomIdentifier(random)
  return audit(
    {
      name: 'organization.created',
      target: { kind: 'organization', id },
      run: async () => {
        // RFC 9110 §15.5.1.
        if (!isChosenIdentifier(id, 255)) throw new AdminError('identifier_invalid', { pointer: '/organization_id' })
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
        // RFC 9110 §15.5.10: also that of a removed organization.
        if (outcome === 'taken') throw new AdminError('identifier_taken')
        return { result: record, after: plainJson(record) }
      },
    },
    acting,
  )
}

export const updateOrganization = (
  target: OrganizationTarget,
  change: OrganizationChange,
  acting: AdminContext,
): Promise<OrganizationRecord> =>
  audit(
    {
      name: 'organization.updated',
      target: { kind: 'organization', id: target.organizationId },
      run: () =>
        untilSettled(async () => {
          const before = await findInVersion(target, acting)
          const { displayName = before.displayName } = change
          requireDisplayName(displayName)
          const changed = { ...before, displayName, updatedAt: acting.clock() }
          const swapped = await acting.storage.organizations.compareAndSwap(changed, before.version)
          return swapped.outcome === 'swapped'
            ? { result: swapped.record, before: plainJson(before), after: plainJson(swapped.record) }
            : undefined
        }),
    },
    acting,
  )

export const removeOrganization = (target: OrganizationTarget, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'organization.removed',
      target: { kind: 'organization', id: target.organizationId },
      run: async () => {
        const before = await findInVersion(target, acting)
        const { outcome } = await acting.storage.organizations.remove(before.organizationId, acting.clock())
        // RFC 9110 §15.5.5: of several who remove one, one does.
        if (outcome === 'absent') throw new AdminError('organization_unknown')
        return { result: undefined, before: plainJson(before) }
      },
    },
    acting,
  )

async function findInVersion(
  { organizationId: id, version }: OrganizationTarget,
  acting: AdminContext,
): Promise<OrganizationRecord> {
  const organization = await findOrganization(id, acting)
  // RFC 9110 §15.5.13.
  if (version !== undefined && version !== organization.version) throw new AdminError('version_mismatch')
  return organization
}

function requireDisplayName(displayName: string): void {
  // RFC 9110 §15.5.1.
  if (!isDisplayName(displayName)) throw new AdminError('display_name_invalid', { pointer: '/display_name' })
}
