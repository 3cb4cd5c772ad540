import { epochSeconds, organizationId, userId, type MembershipRecord } from '@mintmark/storage-interface'
import { json, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'

export const membershipColumns = [
  'issuer',
  'organization_id',
  'user_id',
  'roles',
  'created_at',
  'updated_at',
  'version',
] as const

export const membershipRow = (
  membership: MembershipRecord,
): Omit<Record<(typeof membershipColumns)[number], SqlValue>, 'issuer'> => ({
  organization_id: membership.organizationId,
  user_id: membership.userId,
  roles: json(membership.roles),
  created_at: membership.createdAt,
  updated_at: membership.updatedAt,
  version: membership.version,
})

export const membershipReader =
  (read: ColumnReader) =>
  (row: SqlRow): MembershipRecord => ({
    organizationId: organizationId(read.text(row, 'organization_id')),
    userId: userId(read.text(row, 'user_id')),
    roles: read.json(row, 'roles') as string[],
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    updatedAt: epochSeconds(read.integer(row, 'updated_at')),
    version: read.integer(row, 'version'),
  })
