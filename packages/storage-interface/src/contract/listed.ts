import { matchesFilter } from '../filter/matches-filter.ts'
import type { ResolvedFilter } from '../filter/resolved-filter.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ListedUserRecord, NewProvisionedUser, ProvisionedUserRecord } from '../provisioned-user.ts'
import type { ListOutcome, ListQuery } from '../resource-list.ts'
import type { ScimStorage } from '../storage.ts'
import type { Trial } from './law.ts'
import { nowPlus } from './records/moments.ts'
import { aProvisionedState, aProvisionedUser } from './records/a-provisioned-user.ts'

/** All of `aProviderRecord`'s, by age, on one page. */
export const everything: ListQuery = {
  providerId: aProvisionedUser('any').providerId,
  filter: undefined,
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 1000 },
}

/** An account for each comparable form, in this order by age: the first is `user-00`. */
export const accountsOf = (comparables: readonly JsonObject[]): readonly NewProvisionedUser[] =>
  comparables.map((comparable, index) => {
    const label = String(index).padStart(2, '0')
    const state = aProvisionedState(label, { comparable: { userName: `name-${label}`, ...comparable } })
    return aProvisionedUser(label, { state, createdAt: nowPlus(index) })
  })

export async function insertAccounts(storage: ScimStorage, users: readonly NewProvisionedUser[]): Promise<void> {
  for (const user of users) await storage.provisionedUsers.insert(user)
}

/** What filters of a new account are about: its comparable form, with what the store adds. */
export function filteredForm({ userId, state, createdAt }: NewProvisionedUser): JsonObject {
  const meta = { created: createdAt * 1000, lastModified: createdAt * 1000 }
  const known: Readonly<Record<string, JsonValue>> = {
    ...state.comparable,
    id: userId,
    active: state.active,
    meta,
    groups: [],
  }
  return state.externalId === undefined ? known : { ...known, externalId: state.externalId }
}

/** Judges whether each filter finds, of accounts with these comparable forms, those that `matchesFilter` finds. */
export async function findsWhatMatches(
  { storage, same }: Trial<ScimStorage>,
  comparables: readonly JsonObject[],
  filters: readonly ResolvedFilter[],
): Promise<void> {
  const users = accountsOf(comparables)
  await insertAccounts(storage, users)
  for (const filter of filters) {
    const matches = matchesFilter(filter)
    const expected = users.filter((user) => matches(filteredForm(user))).map(({ userId }) => userId)
    const outcome = await storage.provisionedUsers.list({ ...everything, filter })
    same(listedIds(outcome), [expected.length, ...expected], JSON.stringify(filter))
  }
}

/** The total, and the accounts of the page. */
export const listedIds = (outcome: ListOutcome<ListedUserRecord>): readonly (number | string)[] =>
  outcome.outcome === 'listed' ? [outcome.total, ...outcome.records.map(({ userId }) => userId)] : [outcome.outcome]

/** A record as lists tell of it. */
export function asListed(record: ProvisionedUserRecord): ListedUserRecord {
  const { claims: _, ...listed } = record
  return listed
}
