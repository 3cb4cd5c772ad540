import type { GuardName } from './guards.ts'

/** A change that no test can notice, with the reason. */
export interface Justification extends GuardName {
  /** The name of the change, as the command prints it. */
  readonly change: string
  readonly reason: string
}

export const justifications: readonly Justification[] = [
  {
    file: 'packages/core/src/keys/rotate.ts',
    condition: 'isTooSoon || !isDue',
    change: 'without !isDue',
    reason: 'It saves a read: a rotation that is not due changes nothing.',
  },
  {
    file: 'packages/core/src/logout/front-channel.ts',
    condition:
      'address === undefined || parameters === undefined || client?.frontchannelLogoutSessionRequired !== true',
    change: 'without parameters === undefined',
    reason: 'Only a client that has been removed has no sid, and then it has no address either.',
  },
  {
    file: 'packages/core/src/tokens/access-token.ts',
    condition: "format === 'jwt' && (await storage.revocations.isTokenRevoked(tokenId, now))",
    change: "without format === 'jwt'",
    reason: 'It saves a read: a revoked opaque token is not found in the first place.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: "text === '[]'",
    change: 'false',
    reason: 'The JSON parser gives the same value, in more time.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: "text === '{}'",
    change: 'false',
    reason: 'The JSON parser gives the same value, in more time.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'groupIds.length === 1',
    change: 'false',
    reason: 'The statement for several groups gives the same members, in more time.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-store.ts',
    condition: 'joining.length + leaving.length <= membersInSlice',
    change: 'joining.length + leaving.length < membersInSlice',
    reason: 'One slice more or less results in the same group.',
  },
  {
    file: 'packages/scim/src/users/render-cache.ts',
    condition: 'groups.length === 0',
    within: 'renderGroups',
    change: 'false',
    reason: 'The empty list is then left out by the projection, which leaves out lists without complex values.',
  },
  {
    file: 'packages/scim/src/values/parse-json.ts',
    condition: '!escapedOrControl.test(quoted)',
    change: 'false',
    reason: 'The JSON parser gives the same string, in more time.',
  },
  {
    file: 'packages/scim/src/resource/element-list.ts',
    condition: 'immutable.length === 0 || !isObject(before) || !isObject(after)',
    change: 'without immutable.length === 0',
    reason: 'It saves a copy.',
  },
  {
    file: 'packages/scim/src/values/text.ts',
    condition: 'needed <= bytes.length',
    change: 'needed < bytes.length',
    reason: 'It saves a copy.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-store.ts',
    condition: "columns.flag(row, 'external_id_taken')",
    within: 'explain',
    change: 'false',
    reason: 'It decides which of two faults of one change is reported; the unique index refuses the write either way.',
  },
  {
    file: 'packages/storage-sql/src/sqlite/dialect.ts',
    condition: '!givesValues',
    change: 'false',
    reason: 'It is true only before Node 22.16, and these tests run on a newer version.',
  },
  {
    file: 'packages/scim/src/values/text.ts',
    condition: 'printableAscii.test(text)',
    change: 'false',
    reason: 'It saves time: ASCII text has one width and one normal form.',
  },
  {
    file: 'packages/storage-sql/src/migrate-command.ts',
    condition: "isBuiltin('node:sqlite')",
    change: 'false',
    reason: 'The tests of the command run it in separate processes, which the change does not reach.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'version !== undefined && current !== version',
    change: 'without version !== undefined',
    reason: 'The members are then read by one statement, as after three changes, with the same result.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'version !== undefined && current !== version',
    change: 'without current !== version',
    reason: 'The members are then read by one statement, as after three changes, with the same result.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: "!inner.includes('\"')",
    change: 'false',
    reason: 'The JSON parser gives the same value, in more time.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: 'names.every(({ member, storedName }) => member === storedName)',
    change: 'false',
    reason: 'The names are then written one by one, with the same result.',
  },
  {
    file: 'packages/storage-sql/src/list/candidates.ts',
    condition: 'index === undefined || !parts.some(isSelective)',
    change: 'without !parts.some(isSelective)',
    reason: 'It chooses a plan: the filter is evaluated on every candidate, so more candidates give the same rows.',
  },
  {
    file: 'packages/storage-sql/src/stores/custom-resource-store.ts',
    condition: "kind === 'insert' && !hasUniqueTexts",
    change: 'false',
    reason: 'It saves a transaction around one statement.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-changes.ts',
    condition: 'rows === undefined',
    change: 'false',
    reason: 'Each further slice checks again whether another process has finished the change, and then writes nothing.',
  },
  {
    file: 'packages/storage-sql/src/stores/change-store.ts',
    condition: 'fresh === undefined',
    change: 'false',
    reason: 'It saves a transaction, which without new changes assigns no position.',
  },
  {
    file: 'packages/storage-sql/src/sqlite/dialect.ts',
    condition: "lifetime === 'passing'",
    change: 'false',
    reason: 'The statement gives the same rows. It is only kept for longer, which no caller can see.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: "kind === 'secrets'",
    change: 'false',
    reason: 'Every member of this kind is named like its column.',
  },
  {
    file: 'packages/scim/src/router.ts',
    condition: 'bytes <= largeResponse',
    change: 'bytes < largeResponse',
    reason: 'The bound is a round number: a response of exactly this size may wait for memory or not.',
  },
  {
    file: 'packages/scim/src/groups/write-group.ts',
    condition: 'joining.size === 0',
    change: 'false',
    reason: 'It saves two reads: nobody joins, and the counts of both stop at the limits.',
  },
  {
    file: 'packages/scim/src/patch/parse-patch.ts',
    condition: "!text.includes(':')",
    change: 'false',
    reason: 'It saves a search: every URN has a colon.',
  },
  {
    file: 'packages/core/src/keys/stored-keys.ts',
    condition: 'view?.records === records && view.from <= now && now < view.until',
    change: 'view.from < now',
    reason: 'It saves time: the view for the same second is computed again, with the same keys.',
  },
  {
    file: 'packages/core/src/clients/security-profile.ts',
    condition: 'rules === combinedRules.standard.standard',
    change: 'false',
    reason: 'It saves time: the rules of the profile `standard` forbid nothing.',
  },
  {
    file: 'packages/core/src/delivery/worker.ts',
    condition: "!isWaiting && outcome !== 'retry' && outcome !== 'postponed'",
    change: 'false',
    reason: 'It saves a look into storage after each message that was delivered.',
  },
  {
    file: 'packages/storage-sql/src/list/filter.ts',
    condition: 'first === undefined || same.length === 1',
    change: 'without same.length === 1',
    reason: 'A comparison alone gives the same rows if it is merged.',
  },
  {
    file: 'packages/storage-sql/src/list/filter.ts',
    condition: "kind === 'and' && scope.value(first.attribute).items !== undefined",
    change: "without kind === 'and'",
    reason: 'The comparisons are then evaluated one by one, with the same result, in more time.',
  },
  {
    file: 'packages/storage-sql/src/list/filter.ts',
    condition: "kind === 'and' && scope.value(first.attribute).items !== undefined",
    change: 'without scope.value(first.attribute).items !== undefined',
    reason: 'The comparisons are then evaluated one by one, with the same result, in more time.',
  },
  {
    file: 'packages/storage-sql/src/list/intersected-statement.ts',
    condition: 'index.columns === shown',
    change: 'false',
    reason: 'The rows are then looked up by their identifiers, with the same result.',
  },
  {
    file: 'packages/storage-sql/src/list/load.ts',
    condition: 'count === undefined || wholeIndexes > 1',
    change: 'without wholeIndexes > 1',
    reason: 'It saves a statement: the load is more than 1 either way.',
  },
  {
    file: 'packages/storage-sql/src/list/load.ts',
    condition: 'count === undefined || wholeIndexes > 1',
    change: 'wholeIndexes >= 1',
    reason: 'The bound is arbitrary: with exactly as many rows as allowed, the entries of ranges may count or not.',
  },
  {
    file: 'packages/storage-sql/src/list/list-matching.ts',
    condition: "outcome.outcome === 'listed' || planned.ifTooMany === undefined",
    change: "without outcome.outcome === 'listed'",
    reason: 'It saves the alternative statement, which gives the same page.',
  },
  {
    file: 'packages/storage-sql/src/database.ts',
    condition: "lifetime === 'lasting'",
    change: 'false',
    reason: 'It saves an object in each call: only statements of other lifetimes have owners.',
  },
  {
    file: 'packages/storage-sql/src/postgres/text.ts',
    condition: '!escapedSpecial.test(text)',
    change: 'false',
    reason: 'The text is then written again, with the same result, in more time.',
  },
  {
    file: 'packages/storage-sql/src/groups-of-a-user.ts',
    condition: "pairs === '[]'",
    change: 'false',
    reason: 'The JSON parser gives the same value, in more time.',
  },
  {
    file: 'packages/storage-sql/src/stores/departures.ts',
    condition: 'kept === undefined || rows.length === 0',
    change: 'without rows.length === 0',
    reason: 'It saves a transaction, which finds that the departure is finished and writes nothing.',
  },
  {
    file: 'packages/storage-sql/src/stores/departures.ts',
    condition: 'kept === undefined || rows.length === 0',
    change: 'without kept === undefined',
    reason: 'It saves a read: the process that has finished the departure has left no memberships for the next slice.',
  },
  {
    file: 'packages/storage-sql/src/record-table.ts',
    condition: "text.startsWith('[\"') && !text.includes('\\\\')",
    change: 'false',
    reason: 'The JSON parser gives the same value, in more time.',
  },
  {
    file: 'packages/storage-sql/src/list/narrow-index.ts',
    condition: "kind !== 'number' || labelOf(attribute) !== 'meta.lastModified'",
    change: "without kind !== 'number'",
    reason: 'Filters compare times as numbers only.',
  },
  {
    file: 'packages/storage-sql/src/list/plan.ts',
    condition: 'filter !== undefined && index !== undefined && (sort === undefined || ordering === index)',
    change: 'without ordering === index',
    reason: 'Another statement then gives the same page, in more time.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-store.ts',
    condition: "counted === undefined || columns.integer(counted, 'members') <= membersInSlice",
    change: "columns.integer(counted, 'members') < membersInSlice",
    reason: 'One slice more or less results in the same removal.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-store.ts',
    condition: 'members.memberIds.length > membersInSlice',
    change: 'members.memberIds.length >= membersInSlice',
    reason: 'One slice more or less results in the same group.',
  },
  {
    file: 'packages/storage-sql/src/command/copy/copied-rows.ts',
    condition: 'batch.length >= limit || length > maximumLength',
    change: 'length >= maximumLength',
    reason: 'One row more or less in a statement results in the same copy.',
  },
]
