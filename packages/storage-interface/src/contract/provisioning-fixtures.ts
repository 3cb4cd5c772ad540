// One file, because users, groups and memberships refer to each other, and the laws about lists share its helpers.
import { matchesFilter } from '../filter/matches-filter.ts'
import type { ResolvedFilter } from '../filter/resolved-filter.ts'
import type { GroupRecord, GroupState, GroupStore, MemberChange, NewGroup } from '../group.ts'
import {
  clientId,
  groupId,
  initialAccessTokenId,
  organizationId,
  providerId,
  userId,
  type JsonObject,
  type JsonValue,
  jsonText,
  epochSeconds,
} from '../values.ts'
import type { IdentityProviderRecord } from '../identity-provider.ts'
import type { InitialAccessTokenRecord } from '../initial-access-token.ts'
import type { LogEntryRecord } from '../log-entry.ts'
import type { MembershipRecord, OrganizationRecord } from '../organization.ts'
import type {
  ListedUserRecord,
  NewProvisionedUser,
  ProvisionedState,
  ProvisionedUserChange,
  ProvisionedUserRecord,
} from '../provisioned-user.ts'
import type { ListOutcome, ListQuery } from '../resource-list.ts'
import type { ScimStorage } from '../storage.ts'
import type { UserRecord } from '../user.ts'
import type { WebhookRecord } from '../webhook.ts'
import type { NewDelivery } from '../delivery.ts'
import { aDigest, now, nowPlus } from './fixtures.ts'
import type { Trial } from './law.ts'

/** An identity provider with one secret. It is not disabled. */
export const aProviderRecord = (overrides: Partial<IdentityProviderRecord> = {}): IdentityProviderRecord => ({
  providerId: providerId('provider-1'),
  displayName: 'Example Directory',
  secrets: [{ digest: aDigest('provider-secret-1'), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }],
  clientIds: [clientId('client-1')],
  toleranceProfile: 'standard',
  verifiedDomains: [],
  organizationId: undefined,
  assertions: undefined,
  setupLink: undefined,
  deprovisioning: undefined,
  disabledAt: undefined,
  createdAt: now,
  version: 1,
  ...overrides,
})

/**
 * A new user of `aProviderRecord`. Each label, such as `ada`, gives a different `userId`, `externalId` and `userName`.
 */
export const aProvisionedUser = (label: string, overrides: Partial<NewProvisionedUser> = {}): NewProvisionedUser => ({
  providerId: providerId('provider-1'),
  userId: userId(`user-${label}`),
  state: aProvisionedState(label),
  createdAt: now,
  ...overrides,
})

/** The provider's state of an active user. */
export const aProvisionedState = (label: string, overrides: Partial<ProvisionedState> = {}): ProvisionedState => ({
  active: true,
  externalId: `external-${label}`,
  resource: jsonText({
    userName: `${label}@Example.com`,
    emails: [{ value: `${label}@Example.com`, type: 'work', primary: true }],
  }),
  renderKey: `form-${label}`,
  comparable: {
    userName: `${label}@example.com`,
    emails: [{ value: `${label}@example.com`, type: 'work', primary: true }],
  },
  claims: { name: `Name of ${label}`, email: `${label}@Example.com` },
  ...overrides,
})

/** A change of `aProvisionedUser` by a writer that read `version`. It happens `version` seconds after `now`. */
export const aUserChange = (
  label: string,
  state: Partial<ProvisionedState>,
  version: number,
): ProvisionedUserChange => {
  const { providerId: provider, userId: id } = aProvisionedUser(label)
  return {
    providerId: provider,
    userId: id,
    version,
    state: aProvisionedState(label, state),
    now: nowPlus(version),
  }
}

/** The record of a user that was just inserted. */
export const freshUser = ({
  providerId: provider,
  userId: id,
  state,
  createdAt,
}: NewProvisionedUser): ProvisionedUserRecord => ({
  userId: id,
  active: state.active,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  generation: 0,
  claims: state.claims,
  createdAt,
  updatedAt: createdAt,
  version: 1,
  providerId: provider,
  externalId: state.externalId,
  adopted: false,
  resource: state.resource,
  renderKey: state.renderKey,
  groups: [],
})

/** Returns the user as `UserStore` returns it. */
export const toUserRecord = ({
  userId: id,
  active,
  providerId: provider,
  blockedAt,
  activeAfterBlock,
  generation,
  claims,
  createdAt,
  updatedAt,
  version,
}: ProvisionedUserRecord): UserRecord => ({
  userId: id,
  active,
  providerId: provider,
  blockedAt,
  activeAfterBlock,
  generation,
  claims,
  createdAt,
  updatedAt,
  version,
})

/**
 * A new group of `aProviderRecord`, without members. Each label, such as `staff`, gives a different `groupId` and
 * `externalId`.
 */
export const aGroup = (label: string, overrides: Partial<NewGroup> = {}): NewGroup => ({
  providerId: providerId('provider-1'),
  groupId: groupId(`group-${label}`),
  state: aGroupState(label),
  memberIds: [],
  createdAt: now,
  ...overrides,
})

/** The provider's state of a group. */
export const aGroupState = (label: string, overrides: Partial<GroupState> = {}): GroupState => ({
  externalId: `external-${label}`,
  displayName: `Group ${label}`,
  resource: { displayName: `Group ${label}` },
  comparable: { displayName: `group ${label}` },
  ...overrides,
})

/** Returns a new group as it is stored. */
export const freshGroup = ({ providerId: provider, groupId: id, state, createdAt }: NewGroup): GroupRecord => ({
  groupId: id,
  providerId: provider,
  externalId: state.externalId,
  displayName: state.displayName,
  resource: state.resource,
  createdAt,
  updatedAt: createdAt,
  version: 1,
})

/** The group used by the laws about members. */
export const membersFixture = aGroup('staff')

/** Inserts the users `user-a` to `user-e`, and the group with some of them as members. */
export async function seedMembers(storage: ScimStorage, members: readonly string[]): Promise<void> {
  for (const label of 'abcde') await storage.provisionedUsers.insert(aProvisionedUser(label))
  await storage.groups.insert(aGroup('staff', { memberIds: members.map((label) => `user-${label}`) }))
}

export const delta = (add: readonly string[], remove: readonly string[]): MemberChange => ({
  kind: 'delta',
  add,
  remove,
})

type GroupChange = Parameters<GroupStore['change']>[0]

/** Returns a change of the group a second later, whatever its version. */
export const change = (members: MemberChange | undefined): GroupChange => ({
  providerId: membersFixture.providerId,
  groupId: membersFixture.groupId,
  version: undefined,
  state: undefined,
  members,
  now: nowPlus(1),
})

/** Returns the members of the group, in the order of identifiers. */
export async function staffMembers(storage: ScimStorage): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(membersFixture.providerId, [membersFixture.groupId])
  return (members.get(membersFixture.groupId) ?? []).map(({ memberId }) => memberId)
}

/** An organization without members. */
export const anOrganization = (overrides: Partial<OrganizationRecord> = {}): OrganizationRecord => ({
  organizationId: organizationId('organization-1'),
  displayName: 'Example Organization',
  createdAt: now,
  updatedAt: now,
  version: 1,
  ...overrides,
})

/** A token with which three clients can be registered within an hour. */
export const anInitialAccessToken = (overrides: Partial<InitialAccessTokenRecord> = {}): InitialAccessTokenRecord => ({
  tokenId: initialAccessTokenId('initial-1'),
  digest: aDigest('initial-1'),
  displayName: 'Example Partner',
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid'],
  redirectHosts: ['client.example'],
  remaining: 3,
  createdAt: now,
  expiresAt: nowPlus(3600),
  revokedAt: undefined,
  ...overrides,
})

/** The membership of `user-1` in `organization-1`. */
export const aMembership = (overrides: Partial<MembershipRecord> = {}): MembershipRecord => ({
  organizationId: organizationId('organization-1'),
  userId: userId('user-1'),
  roles: ['member'],
  createdAt: now,
  updatedAt: now,
  version: 1,
  ...overrides,
})

/** An entry of the log of administrative actions, kept for an hour. */
export const aLogEntry = (overrides: Partial<LogEntryRecord> = {}): LogEntryRecord => ({
  entryId: 'entry-1',
  log: 'admin',
  at: now,
  expiresAt: nowPlus(3600),
  type: 'client.disabled',
  detail: { actor: 'client-1', target: 'client-2' },
  ...overrides,
})

/** A query for all rows of `aProviderRecord`, by age, on one page. */
export const everything: ListQuery = {
  providerId: aProvisionedUser('any').providerId,
  filter: undefined,
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 1000 },
}

/** Returns a user for each comparable form, oldest first: `user-00`, `user-01`, and so on. */
export const usersWith = (comparables: readonly JsonObject[]): readonly NewProvisionedUser[] =>
  comparables.map((comparable, index) => {
    const label = String(index).padStart(2, '0')
    const state = aProvisionedState(label, { comparable: { userName: `name-${label}`, ...comparable } })
    return aProvisionedUser(label, { state, createdAt: nowPlus(index) })
  })

export async function insertUsers(storage: ScimStorage, users: readonly NewProvisionedUser[]): Promise<void> {
  for (const user of users) await storage.provisionedUsers.insert(user)
}

/** Returns what a filter is evaluated on for a new user: the comparable form with the values that the store adds. */
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

/** Checks that each filter finds the same users with these comparable forms as `matchesFilter` does. */
export async function expectMatches(
  { storage, same }: Trial<ScimStorage>,
  comparables: readonly JsonObject[],
  filters: readonly ResolvedFilter[],
): Promise<void> {
  const users = usersWith(comparables)
  await insertUsers(storage, users)
  for (const filter of filters) {
    const matches = matchesFilter(filter)
    const expected = users.filter((user) => matches(filteredForm(user))).map(({ userId }) => userId)
    const outcome = await storage.provisionedUsers.list({ ...everything, filter })
    same(listedIds(outcome), [expected.length, ...expected], JSON.stringify(filter))
  }
}

/** Returns the total, and the identifiers of the users of the page. */
export const listedIds = (outcome: ListOutcome<ListedUserRecord>): readonly (number | string)[] =>
  outcome.outcome === 'listed' ? [outcome.total, ...outcome.records.map(({ userId }) => userId)] : [outcome.outcome]

/** Returns a record as lists return it. */
export function asListed(record: ProvisionedUserRecord): ListedUserRecord {
  const { userId, active, createdAt, updatedAt, version, externalId, resource, renderKey, groups } = record
  return { userId, active, createdAt, updatedAt, version, externalId, resource, renderKey, groups }
}

/** A webhook that receives all changes. */
export const aWebhook = (overrides: Partial<WebhookRecord> = {}): WebhookRecord => ({
  webhookId: 'webhook-1',
  url: 'https://app.example/webhooks',
  types: [],
  includesUser: false,
  secrets: ['sealed-1'],
  startsAfter: 0,
  replays: 0,
  stream: undefined,
  target: undefined,
  disabledAt: undefined,
  createdAt: now,
  updatedAt: now,
  version: 1,
  ...overrides,
})

/** A message to `aClientRecord` that may be sent within a day. */
export const aDelivery = (deliveryId: string, overrides: Partial<NewDelivery> = {}): NewDelivery => {
  const { createdAt = now } = overrides
  return {
    deliveryId,
    dedupeKey: `key-${deliveryId}`,
    channel: 'logout',
    recipient: 'client-1',
    lane: undefined,
    sequence: undefined,
    content: { sub: 'user-1', sid: 'session-1' },
    createdAt,
    expiresAt: epochSeconds(createdAt + 86_400),
    keptUntil: epochSeconds(createdAt + 30 * 86_400),
    ...overrides,
  }
}
