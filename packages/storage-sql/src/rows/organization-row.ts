import { epochSeconds, organizationId, type OrganizationRecord } from '@mintmark/storage-interface'
import type { ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'

export const organizationColumns = [
  'issuer',
  'organization_id',
  'display_name',
  'created_at',
  'updated_at',
  'version',
  // A removed organization stays as a tombstone, so that nobody inherits its identifier.
  'removed_at',
] as const

export const organizationRow = (
  organization: OrganizationRecord,
): Omit<Record<(typeof organizationColumns)[number], SqlValue>, 'issuer'> => ({
  organization_id: organization.organizationId,
  display_name: organization.displayName,
  created_at: organization.createdAt,
  updated_at: organization.updatedAt,
  version: organization.version,
  removed_at: null,
})

export const organizationReader =
  (read: ColumnReader) =>
  (row: SqlRow): OrganizationRecord => ({
    organizationId: organizationId(read.text(row, 'organization_id')),
    displayName: read.text(row, 'display_name'),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    updatedAt: epochSeconds(read.integer(row, 'updated_at')),
    version: read.integer(row, 'version'),
  })
