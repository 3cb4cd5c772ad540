// One file: the methods of one store. All of them check keys, blocks and versions in the same way.

import { randomUUID } from 'node:crypto'

import {
  type EpochSeconds,
  type JsonObject,
  type ProvisionedUserRecord,
  type UserId,
} from '@mintmark/storage-interface'
import {
  type NewProvisionedUser,
  type ProvisionedState,
  type ProviderId,
  type ProvisionedUserChange,
  type ProvisionedUserStore,
  type ProvisionOutcome,
  type RemovalOutcome,
  type RemovalRequest,
  type SameResourceState,
  type TakenKey,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { provisionedUsers } from '@mintmark/storage-interface/records'
import { createColumnReader, indexKey, indexKeyOrNull, versionRange } from '../row.ts'
import type { Database, Statement } from '../database.ts'
import { createUserLister } from '../list/user-lister.ts'
import { rowReader } from '../record-table.ts'
import { orDuplicate, type SqlEngine, type SqlRow, type SqlStep, UniqueViolationError } from '../dialect.ts'
import { createDepartures, unlessUnavailable } from './departures.ts'
import { createGroupCompletion, groupsReader, groupsToRead, type RecordWithGroups } from '../groups-of-a-user.ts'
import { createIndexedAttributes } from '../list/indexed-attributes.ts'
import { provisionedUserStatements, type ChangeValue, type RemovalValue } from './provisioned-user-statements.ts'

export function createProvisionedUserStore(
  database: Database,
  { scanLimit }: { readonly scanLimit: number },
): ProvisionedUserStore {
  const { engine, run, step, transact } = database
  const statements = provisionedUserStatements(database)
  const indexed = createIndexedAttributes(database)
  const columns = createColumnReader(engine)
  const read = provisionedUserReader(engine)
  const readChanged = changedUserReader(engine)
  const readLifecycle = lifecycleReader(engine)
  const complete = createGroupCompletion(database)
  const departures = createDepartures(database)

  /** Returns the first of the candidate keys that another user has. */
  async function findTaken(
    user: KeyedUser,
    candidates: readonly Exclude<TakenKey, 'unique'>[],
  ): Promise<TakenKey | undefined> {
    const { external_id_key, user_name_key } = stateRow(user.state, engine)
    const keys = { provider_id: user.providerId, user_id: user.userId, external_id_key, user_name_key }
    const [row] = await run(statements.findHolders, keys)
    return candidates.find((key) => row !== undefined && columns.flag(row, holder[key]))
  }

  /** Explains why a change found no row. @returns `undefined` if the row that was read does not explain it. */
  async function explain({ userId, version, owner }: Expected) {
    const [current] = await run(statements.findVersion, { user_id: userId })
    if (current === undefined || columns.optionalText(current, 'provider_id') !== owner) {
      return { outcome: 'absent' } as const
    }
    const isAsExpected = version === undefined || columns.integer(current, 'version') === version
    return isAsExpected ? undefined : ({ outcome: 'conflict' } as const)
  }

  type ChangeValues = Parameters<typeof run<ChangeValue>>[1]

  /**
   * Changes a user that has the expected version.
   * @param writes are tried in turn until one finds the user. Each checks the version.
   * @param otherwise returns the outcome if no write found the user although the user is as expected.
   */
  async function swap<Otherwise = never>(
    { owner, ...change }: ProvisionedUserChange & Pick<Expected, 'owner'>,
    writes: readonly ((values: ChangeValues) => Promise<readonly SqlRow[]>)[],
    otherwise: () => Promise<Otherwise | undefined> = async () => undefined,
  ): Promise<ProvisionOutcome | Otherwise> {
    const { userId, version, state } = change
    const values = { ...accountValues(change, engine), ...stateRow(state, engine), adopted: engine.encodeFlag(true) }
    let unexplained = 0
    return untilSettled(async () => {
      try {
        for (const write of writes) {
          const [swapped] = await write(values)
          if (swapped !== undefined)
            return { outcome: 'swapped', record: await complete(readChanged(change, swapped), change.without) }
        }
        return (await explain({ userId, version, owner })) ?? (await otherwise())
      } catch (error) {
        if (!(error instanceof UniqueViolationError)) throw error
        const key = await findTaken(change, ['externalId', 'userName'])
        if (key !== undefined) return { outcome: 'taken', key }
        // The user with the key may have been removed in between. A unique value is still taken at the second attempt.
        unexplained += 1
        return unexplained > 1 && indexed.hasUnique() ? { outcome: 'taken', key: 'unique' } : undefined
      }
    })
  }

  /** Changes a user that has the expected version and keeps the resource. */
  async function swapAccount(change: ProvisionedUserChange<SameResourceState>): Promise<ProvisionOutcome> {
    const { userId, version, providerId } = change
    const values = accountValues(change, engine)
    return untilSettled(async () => {
      const [swapped] = await run(statements.compareAndSwapAccount, values)
      return swapped === undefined
        ? explain({ userId, version, owner: providerId })
        : { outcome: 'swapped', record: await complete(readChanged(change, swapped), change.without) }
    })
  }

  async function removeOrRelease(statement: Statement<RemovalValue>, request: RemovalRequest): Promise<RemovalOutcome> {
    const { providerId, userId, version, now } = request
    const values = {
      provider_id: providerId,
      user_id: userId,
      active: engine.encodeFlag(false),
      claims: '{}',
      ...versionRange(version),
      now,
    }
    const removal = await untilSettled<RemovalOutcome>(async () => {
      const [ended] = await run(statement, values)
      return ended === undefined ? explain({ userId, version, owner: providerId }) : { outcome: 'removed' }
    })
    if (removal.outcome === 'removed') await unlessUnavailable(() => departures.finishUser(userId))
    return removal
  }

  /**
   * Writes a user unless a user with the `externalId` was removed. Looks that up after the write: from then on, no other user
   * can have the `externalId`, and no user who had it can be removed.
   */
  async function runUnlessRemoved(writes: readonly SqlStep[], user: KeyedUser): Promise<readonly SqlRow[]> {
    const { providerId, userId, state } = user
    const external_id_key = indexKeyOrNull(state.externalId)
    const keys = { provider_id: providerId, user_id: userId, external_id_key, groups_to_read: groupsToRead(undefined) }
    return (await transact([...writes, step(statements.findNew, keys, 'guard')])) ?? []
  }

  /** Returns the steps that adopt a user and keep the user's former keys. */
  const link = (values: ChangeValues): readonly SqlStep[] => [
    step(statements.keepFormerKeys, { ...values, kept_id: randomUUID() }),
    step(statements.adopt, values, 'guard'),
  ]

  async function hasRemoved(providerId: ProviderId, externalId: string | undefined): Promise<boolean> {
    const key = { provider_id: providerId, external_id_key: indexKeyOrNull(externalId) }
    return (await run(statements.hasRemoved, key)).length > 0
  }

  return {
    indexAttributes: (attributes) => indexed.add(attributes),

    async insert(user) {
      const { unlessRemoved = false, providerId, state } = user
      const values = {
        ...stateRow(user.state, engine),
        provider_id: user.providerId,
        user_id: user.userId,
        adopted: engine.encodeFlag(false),
        created_at: user.createdAt,
      }
      let unexplained = 0
      return untilSettled(async () => {
        // A value that the host declared as unique makes it fail, and so does each key if the engine cannot leave out the row.
        const rows = await orDuplicate(
          unlessRemoved
            ? runUnlessRemoved([step(statements.insert, values, 'guard')], user)
            : run(statements.insertUnlessFormer, values).then((inserted) =>
                inserted.length > 0 ? inserted : run(statements.insert, values),
              ),
        )
        const [row] = rows === 'duplicate' ? [] : rows
        if (row !== undefined) return { outcome: 'inserted', record: { ...insertedUser(user), ...readLifecycle(row) } }

        const key = await findTaken(user, ['id', 'externalId', 'userName'])
        if (key !== undefined) return { outcome: 'taken', key }
        if (rows === 'duplicate') {
          // The user with the key may have been removed in between.
          unexplained += 1
          return unexplained > 1 ? { outcome: 'taken', key: 'unique' } : undefined
        }
        return unlessRemoved && (await hasRemoved(providerId, state.externalId)) ? { outcome: 'removed' } : undefined
      })
    },

    async find(providerId, userId, { without } = {}) {
      const key = { provider_id: providerId, user_id: userId, groups_to_read: groupsToRead(without) }
      const [row] = await run(statements.find, key)
      return row === undefined ? undefined : complete(read(row), without)
    },

    async findByExternalId(providerId, externalId, { without } = {}) {
      const external_id_key = indexKey(externalId)
      const key = { provider_id: providerId, external_id_key, groups_to_read: groupsToRead(without) }
      const [row] = await run(statements.findByExternalId, key)
      return row === undefined ? undefined : complete(read(row), without)
    },

    hasRemoved,

    async compareAndSwap(change) {
      const { state } = change
      if (state.comparable === 'unchanged') return swapAccount({ ...change, state })
      return swap({ ...change, state, owner: change.providerId }, [
        (values) => run(statements.compareAndSwapContent, values),
        (values) => run(statements.compareAndSwap, values),
      ])
    },

    async adopt(change) {
      const { providerId, userId, state, unlessRemoved = false } = change
      // Otherwise the user would still have the memberships of before.
      await departures.finishUser(userId)
      if (!unlessRemoved)
        return swap({ ...change, owner: undefined }, [async (values) => (await transact(link(values))) ?? []])
      return swap<{ readonly outcome: 'removed' }>(
        { ...change, owner: undefined },
        [(values) => runUnlessRemoved(link(values), change)],
        async () => ((await hasRemoved(providerId, state.externalId)) ? { outcome: 'removed' } : undefined),
      )
    },

    release: (request) => removeOrRelease(statements.release, request),
    remove: (request) => removeOrRelease(statements.remove, request),
    list: createUserLister(database, indexed, { scanLimit }),
  }
}

type KeyedUser = Pick<NewProvisionedUser, 'providerId' | 'userId' | 'state'>

/** The user that a change expects: its owner, and its version if one was given. */
interface Expected {
  readonly userId: UserId
  readonly version: number | undefined
  readonly owner: ProviderId | undefined
}

/** The columns that show which keys are taken. */
const holder: Readonly<Record<Exclude<TakenKey, 'unique'>, string>> = {
  id: 'id',
  externalId: 'external_id',
  userName: 'user_name',
}

function provisionedUserReader(engine: SqlEngine): (row: SqlRow) => RecordWithGroups {
  const read = rowReader(provisionedUsers.fields, engine)
  const readGroups = groupsReader(engine)
  // `read` returns a new object with every other member.
  return (row) => Object.assign(read(row) as Omit<ProvisionedUserRecord, 'groups'>, { groups: readGroups(row) })
}

/** The part of a state that every change sets. */
type AccountState = Pick<ProvisionedState, 'active' | 'claims'>

/** Returns the parameters of every change. */
const accountValues = (
  { providerId, userId, version, state, now, without }: ProvisionedUserChange<AccountState>,
  engine: SqlEngine,
) => ({
  provider_id: providerId,
  user_id: userId,
  active: engine.encodeFlag(state.active),
  claims: JSON.stringify(state.claims),
  was_active: engine.encodeFlag(true),
  advance: state.active ? 0 : 1,
  version,
  now,
  groups_to_read: groupsToRead(without),
})

/** Returns the state that a provider gives a user, as columns. */
const stateRow = (
  { active, externalId, resource, renderKey, comparable, claims }: ProvisionedState,
  engine: SqlEngine,
) => ({
  active: engine.encodeFlag(active),
  claims: JSON.stringify(claims),
  external_id: externalId ?? null,
  external_id_key: indexKeyOrNull(externalId),
  user_name_key: userNameKey(comparable),
  resource,
  render_key: renderKey ?? null,
  comparable: engine.encodeSearchable(comparable),
})

const userNameKey = ({ userName }: JsonObject): string | null =>
  indexKeyOrNull(typeof userName === 'string' ? userName : undefined)

/** Returns a reader of the record after a change, from the change and the row of its `assignedColumns`. */
function changedUserReader(
  engine: SqlEngine,
): (change: ProvisionedUserChange<RecordedState>, row: SqlRow) => RecordWithGroups {
  const columns = createColumnReader(engine)
  const readGroups = groupsReader(engine)
  const readLifecycle = lifecycleReader(engine)
  return ({ providerId, userId, version, state, now }, row) => ({
    userId,
    providerId,
    ...recordOf(state),
    ...readLifecycle(row),
    generation: columns.integer(row, 'generation'),
    adopted: columns.flag(row, 'adopted'),
    createdAt: columns.integer(row, 'created_at') as EpochSeconds,
    updatedAt: now,
    version: version + 1,
    groups: readGroups(row),
  })
}

/** Returns a reader of whether a user is active and blocked, which the store decides, not the provider alone. */
function lifecycleReader(
  engine: SqlEngine,
): (row: SqlRow) => Pick<ProvisionedUserRecord, 'active' | 'blockedAt' | 'activeAfterBlock'> {
  const columns = createColumnReader(engine)
  return (row) => {
    const active = columns.flag(row, 'active')
    const isBlocked = columns.has(row, 'blocked_at')
    if (!isBlocked) return { active, blockedAt: undefined, activeAfterBlock: undefined }
    const activeAfterBlock = columns.has(row, 'active_after_block')
      ? columns.flag(row, 'active_after_block')
      : undefined
    return { active, blockedAt: columns.integer(row, 'blocked_at') as EpochSeconds, activeAfterBlock }
  }
}

/** Returns the record of a new user. Its identifier is new, so it is in no group. */
const insertedUser = ({
  providerId,
  userId,
  state,
  createdAt,
}: NewProvisionedUser): Omit<ProvisionedUserRecord, 'active' | 'blockedAt' | 'activeAfterBlock'> => ({
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

/** The part of a state that a record contains. Only filters use the comparable form. */
type RecordedState = Omit<ProvisionedState, 'comparable'>

/** Returns the members of a record that its state sets. */
const recordOf = ({ externalId, resource, renderKey, claims }: RecordedState) => ({
  externalId,
  resource,
  renderKey,
  claims,
})
