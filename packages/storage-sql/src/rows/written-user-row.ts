import {
  epochSeconds,
  type NewProvisionedUser,
  type ProvisionedState,
  type ProvisionedUserChange,
  type ProvisionedUserRecord,
} from '@mintmark/storage-interface'
import type { ColumnReader } from '../row.ts'
import type { SqlEngine, SqlRow } from '../dialect.ts'
import { readGroups } from './provisioned-user-row.ts'

// Who writes an account knows what it says: a kilobyte that does not come back from the database to be read again.

/** The columns that a change does not say of the account that it leads to, beside `groups`. */
export const unsaidColumns = ['generation', 'created_at', 'adopted'] as const

/** The account that a change has led to, of the change and the row of its `unsaidColumns`. */
export const changedUserReader =
  (read: ColumnReader, engine: SqlEngine) =>
  ({ providerId, userId, version, state, now }: ProvisionedUserChange, row: SqlRow): ProvisionedUserRecord => ({
    userId,
    providerId,
    ...recordOf(state),
    generation: read.integer(row, 'generation'),
    adopted: read.flag(row, 'adopted'),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    updatedAt: now,
    version: version + 1,
    groups: readGroups(read.text(row, 'groups'), engine),
  })

/** The account that an insert has made. An identifier is used once: it is in no group yet. */
export const insertedUser = ({ providerId, userId, state, createdAt }: NewProvisionedUser): ProvisionedUserRecord => ({
  userId,
  providerId,
  ...recordOf(state),
  generation: 0,
  adopted: false,
  createdAt,
  updatedAt: createdAt,
  version: 1,
  groups: [],
})

/** Filters alone look into the comparable form. */
const recordOf = ({ active, externalId, resource, resourceForm, claims }: ProvisionedState) => ({
  active,
  externalId,
  resource,
  resourceForm,
  claims,
})
