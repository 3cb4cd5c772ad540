// One file, because `UserStore` and `ProvisionedUserStore` write the same rows through the functions below.
import {
  type ProviderId,
  type UserId,
  providerId as asProviderId,
  userId as asUserId,
  type JsonObject,
  type JsonText,
  type EpochSeconds,
  utf8Length,
} from '../values.ts'
import type { LifecycleOutcome, SearchableUserStore, UserRecord } from '../user.ts'
import { type GroupTable, removeFromGroups } from './group-table.ts'
import type { IndexedAttribute } from '../provisioned-user.ts'
import { type ListedRow, type Listing, listPage } from './list-page.ts'
import {
  type IndexedRow,
  type ProviderIndex,
  createProviderIndex,
  reindex,
  rowsByAge,
  textsOf,
} from './provider-index.ts'
import { type RevocationTable, writeRevocation } from './revocation-table.ts'
import { changedNames, type ChangeTable, isWatched, writeChange } from './changes.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'
import { expireSubjects, type SubjectTable } from './subjects.ts'
import { type Aged, type RowsByAge, createRowsByAge, idsByAge } from './sorted-rows.ts'

/** A user who was not removed, with the state from the identity provider. It is one object, as it is one row in SQL. */
export interface PresentUser<State extends Provisioning | undefined = Provisioning | undefined> {
  readonly kind: 'present'
  readonly record: UserRecord
  readonly provisioning: State
}

/** The state of a user as the identity provider sent it. */
export interface Provisioning {
  readonly providerId: ProviderId
  readonly externalId: string | undefined
  readonly adopted: boolean
  readonly resource: JsonText
  readonly renderKey: string | undefined
  readonly comparable: JsonObject
}

/** `removed` is a tombstone: the identifier stays taken, and no other data of the user are kept. */
type StoredUser = PresentUser | { readonly kind: 'removed' }

export interface UserTable {
  readonly byId: Map<UserId, StoredUser>
  /** The users that were not removed. */
  readonly byAge: RowsByAge<UserId>
  readonly byProvider: ProviderIndex<UserId>
  /** The attributes that the host indexed. */
  readonly indexed: Map<string, IndexedAttribute>
  readonly changes: ChangeTable
  /** Called in the step in which a user becomes inactive, is removed, or leaves their provider. */
  readonly onEnd: (userId: UserId, at: EpochSeconds) => void
  /** The last former user with each key. A key is the `formerKey` of an `externalId` or a `userName`. */
  readonly former: Map<string, FormerUser>
}

/** A user who was removed, or who was released: the provider no longer manages the user, but the user still exists. */
interface FormerUser {
  readonly userId: UserId
  readonly blockedAt: EpochSeconds | undefined
}

/** Returns a key of `UserTable.former`. */
export const formerKey = (providerId: ProviderId, name: 'externalId' | 'userName', text: string): string =>
  JSON.stringify([providerId, name, text])

/**
 * Remembers the keys of a user who leaves the provider. A user whom the host linked may have had the keys of a blocked user without
 * being blocked; the block of these keys then stays.
 */
export function rememberFormerUser(users: UserTable, { record, provisioning }: PresentUser): void {
  if (provisioning === undefined) return
  const { providerId, externalId, comparable, adopted } = provisioning
  const former = { userId: record.userId, blockedAt: record.blockedAt }
  const remember = (name: 'externalId' | 'userName', text: string | undefined): void => {
    if (text === undefined) return
    const key = formerKey(providerId, name, text)
    if (adopted && record.blockedAt === undefined && blockOfKey(users, key) !== undefined) return
    users.former.set(key, former)
  }
  remember('externalId', externalId)
  remember('userName', userNameOf(comparable))
}

/** Returns when the last former user with this key was blocked; `undefined` if there is no such user, or the user is not blocked. */
export function blockOfKey(users: UserTable, key: string): EpochSeconds | undefined {
  const former = users.former.get(key)
  if (former === undefined) return undefined
  // A released user still exists, and the host may have lifted the block since.
  const present = presentRow(users, former.userId)
  return present === undefined ? former.blockedAt : present.record.blockedAt
}

/** Records a block of a removed user, so that a user who gets the same keys later is blocked. */
function blockFormerUser({ former }: UserTable, userId: UserId, now: EpochSeconds): void {
  for (const [key, user] of former)
    if (user.userId === userId) former.set(key, { ...user, blockedAt: user.blockedAt ?? now })
}

export const createUserTable = (changes: ChangeTable, onEnd: UserTable['onEnd']): UserTable => ({
  changes,
  onEnd,
  byId: new Map(),
  byAge: createRowsByAge(),
  byProvider: createProviderIndex(),
  indexed: new Map(),
  former: new Map(),
})

/** Returns the user and the provider state, unless the user was removed. */
export function presentRow(users: UserTable, userId: UserId): PresentUser | undefined {
  const stored = users.byId.get(userId)
  return stored?.kind === 'present' ? stored : undefined
}

/** Returns the user, unless the user was removed. */
export const presentUser = (users: UserTable, userId: UserId): UserRecord | undefined =>
  presentRow(users, userId)?.record

/** Stores a user. @returns the stored user. */
export function writeUser<State extends Provisioning | undefined>(
  users: UserTable,
  row: Omit<PresentUser<State>, 'kind'>,
): PresentUser<State> {
  const { userId } = row.record
  const before = presentRow(users, userId)
  const record = frozenCopy(row.record)
  // What a write takes from the stored row is frozen and indexed already.
  const keepsProvisioning = before !== undefined && before.provisioning === row.provisioning
  const provisioning = keepsProvisioning ? row.provisioning : frozenCopy(row.provisioning)
  const stored: PresentUser<State> = Object.freeze({ kind: 'present', record, provisioning })
  if (!keepsProvisioning) reindex(users.byProvider, { from: indexedRow(before), to: indexedRow(stored) })
  if (before === undefined) users.byAge.add(ageOf(stored))
  users.byId.set(userId, stored)
  writeUserChanges(users.changes, before, stored)
  if (before !== undefined && hasEnded(before.record, stored.record)) users.onEnd(userId, stored.record.updatedAt)
  return stored
}

/** Whether a change ends what the user owns. */
const hasEnded = (before: UserRecord, { active, providerId }: UserRecord): boolean =>
  (before.active && !active) || (before.providerId !== undefined && before.providerId !== providerId)

/** Writes the changes that webhooks receive. */
function writeUserChanges(changes: ChangeTable, earlier: PresentUser | undefined, later: PresentUser): void {
  // Comparing the claims takes longer than the rest of the write.
  if (!isWatched(changes)) return
  const { record } = later
  const { userId, updatedAt } = record
  if (earlier === undefined) return writeChange(changes, { type: 'user.created', userId }, updatedAt)
  const before = earlier.record
  const names = changedNames(before.claims, record.claims)
  if (names.length > 0 || isResourceChanged(earlier.provisioning, later.provisioning))
    writeChange(changes, { type: 'user.changed', userId, names }, updatedAt)
  if (before.active && !record.active) writeChange(changes, { type: 'user.deactivated', userId }, updatedAt)
  if (!before.active && record.active) writeChange(changes, { type: 'user.reactivated', userId }, updatedAt)
  if (before.active && record.active && before.generation < record.generation)
    writeChange(changes, { type: 'user.access_revoked', userId }, updatedAt)
}

/** Whether the provider changed attributes of the user, which may be in no claim. */
const isResourceChanged = (before: Provisioning | undefined, later: Provisioning | undefined): boolean =>
  before !== undefined &&
  later !== undefined &&
  (before.resource !== later.resource || before.externalId !== later.externalId)

/**
 * Replaces a user with a tombstone. A tombstone has no generation: nothing reads the generation of a removed user, and the
 * identifier is never reused.
 */
function tombstoneUser(users: UserTable, userId: UserId): void {
  const row = presentRow(users, userId)
  reindex(users.byProvider, { from: indexedRow(row), to: undefined })
  if (row !== undefined) users.byAge.remove(ageOf(row))
  users.byId.set(userId, { kind: 'removed' })
}

const ageOf = ({ record }: PresentUser): Aged<UserId> => ({ id: record.userId, createdAt: record.createdAt })

function indexedRow(row: PresentUser | undefined): IndexedRow<UserId> | undefined {
  if (row?.provisioning === undefined) return undefined
  const { providerId, externalId, comparable } = row.provisioning
  const texts = {
    externalId: externalId === undefined ? [] : [externalId],
    userName: textsOf(comparable, 'userName'),
    'emails.value': textsOf(comparable, 'emails.value'),
  }
  return { providerId, age: ageOf(row), texts }
}

/** Returns the comparable `userName`. */
export function userNameOf(comparable: JsonObject): string | undefined {
  const { userName } = comparable
  return typeof userName === 'string' ? userName : undefined
}

/** The tables that a change of a user may write. */
export interface UserTables {
  readonly users: UserTable
  readonly groups: GroupTable
  readonly revocations: RevocationTable
  readonly subjects: SubjectTable
}

export function createMemoryUsers(
  tables: UserTables,
  scheduler: SchedulerHook,
): Omit<SearchableUserStore, 'upsert' | 'compare'> {
  const { users } = tables

  return {
    async insert(user) {
      await scheduler()
      if (users.byId.has(user.userId)) return { outcome: 'taken' }

      const record = {
        ...user,
        ...newUser,
        updatedAt: user.createdAt,
      }
      writeUser(users, { record, provisioning: undefined })
      return { outcome: 'inserted' }
    },

    async find(userId) {
      await scheduler()
      return presentUser(users, userId)
    },

    async list(query) {
      await scheduler()
      return listPage(allUsers(users), query)
    },

    async replaceClaims({ userId, claims, version, now }) {
      await scheduler()
      const current = presentRow(users, userId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.record.version !== version) return { outcome: 'conflict' }

      const record = { ...current.record, claims, updatedAt: now, version: version + 1 }
      return { outcome: 'swapped', record: writeUser(users, { ...current, record }).record }
    },

    async deactivate(userId, now) {
      await scheduler()
      blockFormerUser(users, userId, now)
      return changeLifecycle(tables, userId, (record) => (record.blockedAt === undefined ? block(record, now) : record))
    },

    async reactivate(userId, now) {
      await scheduler()
      return changeLifecycle(tables, userId, (record) => unblock(record, now))
    },

    async revokeAccess(userId, now) {
      await scheduler()
      const current = presentRow(users, userId)
      if (current === undefined) return { outcome: 'absent' }

      const record = { ...current.record, generation: current.record.generation + 1, updatedAt: now }
      revokeGeneration(tables, current.record, record)
      return { outcome: 'revoked', record: writeUser(users, { ...current, record }).record }
    },

    async remove(userId, now) {
      await scheduler()
      if (presentRow(users, userId) === undefined) return { outcome: 'absent' }

      removeUser(tables, userId, now)
      return { outcome: 'removed' }
    },
  }
}

const newUser = {
  active: true,
  providerId: undefined,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  generation: 0,
  version: 1,
} as const

/** Describes the list of all users, with and without a provider, to `listPage`. */
const allUsers = (users: UserTable): Listing<UserId, UserRecord> => ({
  byAge: users.byAge,
  lookups: new Map([
    ['id', { rows: 1, find: (id) => [asUserId(id)] }],
    ['provider', { rows: 1000, find: (id) => idsByAge(rowsByAge(users.byProvider, asProviderId(id))) }],
  ]),
  row: (userId) => {
    const row = presentRow(users, userId)
    return row && listedRow(row)
  },
  sizeOf: ({ claims }) => utf8Length(JSON.stringify(claims)),
})

const listedRow = ({ record, provisioning }: PresentUser): ListedRow<UserId, UserRecord> => ({
  id: record.userId,
  createdAt: record.createdAt,
  record: () => record,
  comparable: () => ({
    id: record.userId,
    active: record.active,
    created: record.createdAt * 1000,
    updated: record.updatedAt * 1000,
    claims: record.claims,
    ...(provisioning === undefined ? {} : { provider: provisioning.providerId }),
  }),
})

/** Removes a user and the user's memberships in groups. */
export function removeUser(tables: UserTables, userId: UserId, now: EpochSeconds): void {
  const { users, groups, revocations } = tables
  const row = presentRow(users, userId)
  if (row !== undefined) rememberFormerUser(users, row)
  tombstoneUser(users, userId)
  users.onEnd(userId, now)
  writeChange(users.changes, { type: 'user.removed', userId }, now)
  removeFromGroups(groups, userId, now)
  expireSubjects(tables.subjects, userId, now)
  writeRevocation(revocations, { kind: 'account', userId }, now)
}

/** @param change returns the same record when nothing changes. */
function changeLifecycle(
  tables: UserTables,
  userId: UserId,
  change: (record: UserRecord) => UserRecord,
): LifecycleOutcome {
  const { users } = tables
  const current = presentRow(users, userId)
  if (current === undefined) return { outcome: 'absent' }
  const record = change(current.record)
  if (record === current.record) return { outcome: 'unchanged', record }

  revokeGeneration(tables, current.record, record)
  return { outcome: 'changed', record: writeUser(users, { ...current, record }).record }
}

const block = (record: UserRecord, now: EpochSeconds): UserRecord => ({
  ...withActive(record, false, now),
  blockedAt: now,
  activeAfterBlock: record.active,
})

function unblock(record: UserRecord, now: EpochSeconds): UserRecord {
  if (record.active) return record
  const active = record.blockedAt === undefined ? true : (record.activeAfterBlock ?? true)
  return { ...withActive(record, active, now), blockedAt: undefined, activeAfterBlock: undefined }
}

/** Returns the next version of a user. The generation advances only if an active user becomes inactive. */
export const withActive = (record: UserRecord, active: boolean, now: EpochSeconds): UserRecord => ({
  ...record,
  active,
  generation: record.active && !active ? record.generation + 1 : record.generation,
  updatedAt: now,
  version: record.version + 1,
})

/** Revokes the previous generation when a change advances it. */
export function revokeGeneration(
  { revocations }: UserTables,
  { userId, generation }: UserRecord,
  after: UserRecord,
): void {
  if (after.generation > generation)
    writeRevocation(revocations, { kind: 'generation', userId, generation }, after.updatedAt)
}
