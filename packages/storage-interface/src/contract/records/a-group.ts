import type { GroupRecord, GroupState, NewGroup } from '../../group.ts'
import { groupId, providerId } from '../../identifiers.ts'
import { now } from './moments.ts'

/** A new group of `aProviderRecord`, without members. Each label, such as `staff`, makes another `groupId` and `externalId` of it. */
export const aGroup = (label: string, overrides: Partial<NewGroup> = {}): NewGroup => ({
  providerId: providerId('provider-1'),
  groupId: groupId(`group-${label}`),
  state: aGroupState(label),
  memberIds: [],
  createdAt: now,
  ...overrides,
})

/** What a provider says of a group. */
export const aGroupState = (label: string, overrides: Partial<GroupState> = {}): GroupState => ({
  externalId: `external-${label}`,
  displayName: `Group ${label}`,
  resource: { displayName: `Group ${label}` },
  comparable: { displayName: `group ${label}` },
  ...overrides,
})

/** A group as it begins. */
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
