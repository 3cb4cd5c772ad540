import type { GuardName } from './guards.ts'

/** A change that no test can notice, with the reason. */
interface Justification extends GuardName {
  /** As the command prints it. */
  readonly change: string
  readonly reason: string
}

export const justifications: readonly Justification[] = [
  {
    file: 'packages/admin/src/providers/provider-changes.ts',
    condition: "error instanceof AdminError && error.reason === 'account_unknown'",
    change: 'without error instanceof AdminError',
    reason: 'It narrows the type; no other error has a reason.',
  },
  {
    file: 'packages/core/src/clients/remote-key-set.ts',
    condition: "result.outcome === 'failed'",
    change: 'false',
    reason:
      'It narrows the type. A URL that is not allowed is never fetched, so there is no earlier key set that could be kept.',
  },
  {
    file: 'packages/core/src/tokens/access-token.ts',
    condition: "token.format === 'jwt' && (await storage.revocations.isTokenRevoked(token.tokenId, now))",
    change: "without token.format === 'jwt'",
    reason: 'It saves a read: a revoked opaque token is not found in the first place.',
  },
  {
    file: 'packages/core/src/outbound/pinned-fetch.ts',
    condition: "hostname === 'localhost'",
    change: 'false',
    reason: 'The resolver of some versions of Node answers localhost itself; the others would ask a name server.',
  },
  {
    file: 'packages/storage-sql/src/list/statements.ts',
    condition: 'engine.skipsInIndex && form.size === undefined',
    change: 'without engine.skipsInIndex',
    reason: 'It chooses the faster plan of two with the same result.',
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
    reason: 'A slice more or less gives the same group.',
  },
  {
    file: 'packages/scim/src/values/element-list.ts',
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
    file: 'packages/resource-server/src/possession.ts',
    condition: 'now < until && used.size <= maxProofs',
    change: 'without now < until',
    reason: 'It frees memory early: an expired proof counts as unused.',
  },
  {
    file: 'packages/resource-server/src/possession.ts',
    condition: 'now < until && used.size <= maxProofs',
    change: 'now <= until',
    reason: 'It frees memory early: an expired proof counts as unused.',
  },
  {
    file: 'packages/core/src/keys/jws.ts',
    condition: 'nodeCrypto !== undefined && digest !== undefined',
    change: 'without nodeCrypto !== undefined',
    reason: 'Node always has it; `test/runtimes` runs the same code where it is missing.',
  },
  {
    file: 'packages/scim/src/bulk/process-bulk.ts',
    condition: 'operation === undefined',
    change: 'false',
    reason: 'It narrows the type; the positions come from the same list.',
  },
  {
    file: 'packages/scim/src/bulk/process-bulk.ts',
    condition: "!isObject(data) || membersByName(data).has('schemas')",
    change: 'without !isObject(data)',
    reason: 'It narrows the type; what is no object is refused as a message either way.',
  },
  {
    file: 'packages/scim/src/filter/parse-filter.ts',
    condition: "following === '(' && token.kind === 'word' && token.text.toLowerCase() === 'not'",
    change: "without token.kind === 'word'",
    reason: 'It narrows the type; `readName` has refused every other token.',
  },
  {
    file: 'packages/scim/src/filter/resolve-filter.ts',
    condition: "attribute === undefined || leaf.kind === 'valuePath'",
    change: "without leaf.kind === 'valuePath'",
    reason: 'It narrows the type; the parser refuses brackets inside brackets.',
  },
  {
    file: 'packages/scim/src/values/element-list.ts',
    condition: '!isObject(existing) || !isObject(given)',
    change: 'without !isObject(existing)',
    reason: 'It narrows the type; the values of one attribute are all objects or all simple.',
  },
  {
    file: 'packages/scim/src/values/element-list.ts',
    condition: '!isObject(existing) || !isObject(given)',
    change: 'without !isObject(given)',
    reason: 'It narrows the type; the values of one attribute are all objects or all simple.',
  },
  {
    file: 'packages/storage-sql/src/list/candidates.ts',
    condition: "part.kind !== 'text' || !isSelective(part)",
    change: "without part.kind !== 'text'",
    reason: 'Other comparisons have no index of several values, so none is found for them.',
  },
  {
    file: 'packages/storage-sql/src/list/statements.ts',
    condition: 'match !== undefined && (sort === undefined || ordering === match.index)',
    change: 'false',
    reason: 'It decides which of two statements reads the page; both return the same rows.',
  },
  {
    file: 'packages/storage-sql/src/list/statements.ts',
    condition: 'match !== undefined && (sort === undefined || ordering === match.index)',
    change: 'without sort === undefined',
    reason: 'It decides which of two statements reads the page; both return the same rows.',
  },
  {
    file: 'packages/storage-sql/src/list/statements.ts',
    condition: 'match !== undefined && (sort === undefined || ordering === match.index)',
    change: 'without ordering === match.index',
    reason: 'It decides which of two statements reads the page; both return the same rows.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'groupId === undefined',
    change: 'false',
    reason: 'It saves a statement; no rows belong to an empty list of groups.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-store.ts',
    condition: "columns.flag(row, 'external_id_taken')",
    change: 'false',
    reason: 'It decides which of two faults of one request is reported; the unique index refuses the write either way.',
  },
  {
    file: 'packages/storage-sql/src/stores/upsert-users.ts',
    condition: 'batch.length === 0',
    change: 'false',
    reason: 'It saves a statement that writes no rows.',
  },
  {
    file: 'packages/scim/src/schema/indexed-attributes.ts',
    condition: 'attributes.length === 0',
    change: 'false',
    reason: 'It saves indexing no attributes, which changes nothing.',
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
    file: 'packages/scim/src/resource/resource.ts',
    condition: '!(year >= 1000 && year <= 9999)',
    change: 'year > 1000',
    reason: 'It chooses the faster of two formats of the same text.',
  },
  {
    file: 'packages/scim/src/resource/resource.ts',
    condition: '!(year >= 1000 && year <= 9999)',
    change: 'year < 9999',
    reason: 'It chooses the faster of two formats of the same text.',
  },
  {
    file: 'packages/storage-sql/src/migrate-command.ts',
    condition: "isBuiltin('node:sqlite')",
    change: 'false',
    reason: 'The tests of the command run it in processes of their own, which the change does not reach.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'version !== undefined && seen !== version',
    change: 'without version !== undefined',
    reason: 'The members are then read by one statement, as after three changes, with the same result.',
  },
  {
    file: 'packages/storage-sql/src/stores/group-members.ts',
    condition: 'version !== undefined && seen !== version',
    change: 'without seen !== version',
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
    file: 'packages/scim/src/list/location-filter.ts',
    condition: 'spellings.length > maximumSpellings',
    change: 'spellings.length >= maximumSpellings',
    reason: 'No part of a location has exactly so many spellings: it has at most 17, or 57.',
  },
]
