// One file, because all methods of `ProvisionedUserStore` share the checks of keys, blocks and versions.
import { type JsonObject, type UserId, utf8Length } from '../values.ts'
import type { ListQuery } from '../resource-list.ts'
import type { UserRecord } from '../user.ts'
import {
  indexedValues,
  type NewProvisionedUser,
  type ProvisionOutcome,
  type ProvisionedState,
  type ProvisionedUserChange,
  type ProvisionedUserRecord,
  type ProvisionedUserStore,
  type RemovalRequest,
  type SameResourceState,
  type TakenKey,
} from '../provisioned-user.ts'
import { findFormerBlock, isRefusedAsRemoved, keysOf, changedKeys } from './former-users.ts'
import { removeFromGroups } from './group-table.ts'
import { listPage } from './list-page.ts'
import { findHolder, rowsByAge } from './provider-index.ts'
import { findOwnRow, type ProvisionedRow, provisionedRecord, usersOfProvider } from './provisioned-rows.ts'
import { joinOrganization, leaveOrganization, type OrganizationTable } from './organizations.ts'
import { idsByAge } from './sorted-rows.ts'
import type { SchedulerHook } from './rows.ts'
import {
  type PresentUser,
  type Provisioning,
  type UserTable,
  type UserTables,
  revokeGeneration,
  formerKey,
  presentRow,
  rememberFormerUser,
  removeUser,
  withActive,
  writeUser,
} from './users.ts'
import type { IdentityProviderTable } from './client-table.ts'

interface Tables extends UserTables {
  readonly identityProviders: IdentityProviderTable
  readonly organizations: OrganizationTable
}

export function createMemoryProvisionedUsers(tables: Tables, scheduler: SchedulerHook): ProvisionedUserStore {
  const { users, groups } = tables

  return {
    async insert(user) {
      await scheduler()
      const { providerId, userId, state, createdAt } = user
      if (users.byId.has(userId)) return { outcome: 'taken', key: 'id' }
      const key = takenKey(users, user)
      if (key !== undefined) return { outcome: 'taken', key }
      if (isRefusedAsRemoved(users, user)) return { outcome: 'removed' }

      const blockedAt = findFormerBlock(users, providerId, keysOf(state))
      const record: UserRecord = {
        userId,
        active: blockedAt === undefined && state.active,
        providerId,
        blockedAt,
        activeAfterBlock: blockedAt === undefined ? undefined : state.active,
        generation: 0,
        claims: state.claims,
        createdAt,
        updatedAt: createdAt,
        version: 1,
      }
      const provisioning: Provisioning = { providerId, ...pickProviderState(state), adopted: false }
      const written = write(tables, { record, provisioning })
      joinOrganization(tables, { providerId, userId, now: createdAt })
      return { outcome: 'inserted', record: written }
    },

    async indexAttributes(attributes) {
      await scheduler()
      // Searches read all rows in memory; the index only needs to know which attributes are unique.
      for (const indexed of attributes) users.indexed.set(JSON.stringify(indexed.attribute), indexed)
    },

    async find(providerId, userId, options) {
      await scheduler()
      const row = findOwnRow(users, providerId, userId)
      return row && provisionedRecord(groups, row, options?.without)
    },

    async findByExternalId(providerId, externalId, options) {
      await scheduler()
      const userId = findHolder(users.byProvider, providerId, ['externalId', externalId])
      const row = userId && findOwnRow(users, providerId, userId)
      return row && provisionedRecord(groups, row, options?.without)
    },

    async hasRemoved(providerId, externalId) {
      await scheduler()
      return users.former.has(formerKey(providerId, 'externalId', externalId))
    },

    async compareAndSwap(change) {
      await scheduler()
      const row = findOwnRow(users, change.providerId, change.userId)
      const { state } = change
      return state.comparable === 'unchanged'
        ? swapSameResource(tables, row, { ...change, state })
        : swap(tables, row, { ...change, state, adopted: row?.provisioning.adopted ?? false })
    },

    async adopt(change) {
      await scheduler()
      const row = presentRow(users, change.userId)
      const isExpected = row?.provisioning === undefined && row?.record.version === change.version
      if (isExpected && takenKey(users, change) === undefined && isRefusedAsRemoved(users, change))
        return { outcome: 'removed' }
      const outcome = swap(tables, row?.provisioning === undefined ? row : undefined, { ...change, adopted: true })
      if (outcome.outcome === 'swapped') joinOrganization(tables, change)
      return outcome
    },

    async release(request) {
      await scheduler()
      const row = findRemovable(users, request)
      if (typeof row === 'string') return { outcome: row }

      const inactive = withActive(row.record, false, request.now)
      // The generation advances even if the user was already inactive: nothing issued before the release is honoured afterwards.
      const record: UserRecord = {
        ...inactive,
        providerId: undefined,
        activeAfterBlock: row.record.blockedAt === undefined ? undefined : false,
        generation: row.record.generation + 1,
      }
      rememberFormerUser(users, row)
      writeUser(users, { record, provisioning: undefined })
      revokeGeneration(tables, row.record, record)
      removeFromGroups(groups, request.userId, request.now)
      leaveOrganization(tables, request)
      return { outcome: 'removed' }
    },

    async remove(request) {
      await scheduler()
      const row = findRemovable(users, request)
      if (typeof row === 'string') return { outcome: row }

      removeUser(tables, request.userId, request.now)
      return { outcome: 'removed' }
    },

    async list(query) {
      await scheduler()
      const listing = usersOfProvider(tables, query.providerId)
      if (query.without === undefined) return listPage(listing, query)
      const outcome = listPage({ ...listing, sizeOf: ({ resource }) => utf8Length(resource) }, query)
      if (outcome.outcome === 'tooMany') return outcome
      return { ...outcome, records: outcome.records.map((record) => ({ ...record, groups: undefined })) }
    },
  }
}

/** Changes a user without changing what the provider wrote. No key can be taken, because none changes. */
function swapSameResource(
  tables: UserTables,
  row: ProvisionedRow | undefined,
  change: ProvisionedUserChange<SameResourceState>,
): ProvisionOutcome {
  if (row === undefined) return { outcome: 'absent' }
  if (row.record.version !== change.version) return { outcome: 'conflict' }
  const { blockedAt } = row.record
  return {
    outcome: 'swapped',
    record: writeState(tables, row, { ...change, provisioning: row.provisioning, blockedAt }),
  }
}

function swap(
  tables: UserTables,
  row: PresentUser | undefined,
  { adopted, ...change }: ProvisionedUserChange & { readonly adopted: boolean },
): ProvisionOutcome {
  const { providerId, userId, version, state } = change
  if (row === undefined) return { outcome: 'absent' }
  if (row.record.version !== version) return { outcome: 'conflict' }
  const key = takenKey(tables.users, { providerId, userId, state })
  if (key !== undefined) return { outcome: 'taken', key }

  const blockedAt = row.record.blockedAt ?? findFormerBlock(tables.users, providerId, changedKeys(row, state))
  const provisioning = { providerId, ...pickProviderState(state), adopted }
  return { outcome: 'swapped', record: writeState(tables, row, { ...change, provisioning, blockedAt }) }
}

interface StateToWrite extends Pick<ProvisionedUserChange, 'providerId' | 'now' | 'without'> {
  readonly state: Pick<ProvisionedState, 'active' | 'claims'>
  readonly provisioning: Provisioning
  readonly blockedAt: UserRecord['blockedAt']
}

function writeState(
  tables: UserTables,
  { record: before }: PresentUser,
  { providerId, state, now, without, provisioning, blockedAt }: StateToWrite,
): ProvisionedUserRecord {
  const isBlocked = blockedAt !== undefined
  const record = {
    ...withActive(before, state.active && !isBlocked, now),
    providerId,
    blockedAt,
    activeAfterBlock: isBlocked ? state.active : undefined,
    claims: state.claims,
  }
  revokeGeneration(tables, before, record)
  return write(tables, { record, provisioning }, without)
}

const pickProviderState = ({ externalId, resource, renderKey, comparable }: ProvisionedState) => ({
  externalId,
  resource,
  renderKey,
  comparable,
})

const write = (
  { users, groups }: UserTables,
  row: Omit<ProvisionedRow, 'kind'>,
  without?: ListQuery['without'],
): ProvisionedUserRecord => provisionedRecord(groups, writeUser(users, row), without)

function findRemovable(
  users: UserTable,
  { providerId, userId, version }: RemovalRequest,
): ProvisionedRow | 'absent' | 'conflict' {
  const row = findOwnRow(users, providerId, userId)
  if (row === undefined) return 'absent'
  return version === undefined || row.record.version === version ? row : 'conflict'
}

type Claimant = Pick<NewProvisionedUser, 'providerId' | 'userId' | 'state'>

/** Returns the first key that belongs to another user of the provider. */
function takenKey(users: UserTable, { providerId, userId, state }: Claimant): Exclude<TakenKey, 'id'> | undefined {
  const keys = keysOf(state)
  const others = () => idsByAge(rowsByAge(users.byProvider, providerId)).filter((id) => id !== userId)
  const ownValues = new Set(uniqueTexts(users, state.comparable))
  const isTaken = (name: keyof typeof keys): boolean => {
    const value = keys[name]
    const holder = value === undefined ? undefined : findHolder(users.byProvider, providerId, [name, value])
    return holder !== undefined && holder !== userId
  }
  if (isTaken('externalId')) return 'externalId'
  if (isTaken('userName')) return 'userName'
  const sharesValue = (id: UserId): boolean =>
    uniqueTexts(users, findOwnRow(users, providerId, id)?.provisioning.comparable ?? {}).some((text) =>
      ownValues.has(text),
    )
  return ownValues.size > 0 && others().some(sharesValue) ? 'unique' : undefined
}

/** Returns the values of a resource that no other user of the provider may have, each with its attribute. */
const uniqueTexts = ({ indexed }: UserTable, comparable: JsonObject): readonly string[] =>
  [...indexed.values()]
    .filter(({ isUnique }) => isUnique)
    .flatMap((indexed) => {
      const { attribute, elementPart } = indexed
      const { extension, name, subName } = attribute
      return indexedValues(indexed, comparable).map((value) =>
        JSON.stringify([extension, name, subName, elementPart, value]),
      )
    })
