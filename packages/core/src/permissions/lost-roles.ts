import { type EpochSeconds, type OAuthStorage, type ScimStorage, userId } from '@mintmark/storage-interface'
import type {
  DirectoryRoles,
  GroupChangeOutcome,
  GroupRecord,
  GroupStore,
  OrganizationId,
  ProviderId,
  ProvisionedUserStore,
} from '@mintmark/storage-interface/stores'

type GroupChange = Parameters<GroupStore['change']>[0]

type OrganizationStorage = ScimStorage & Required<Pick<OAuthStorage, 'organizations'>>

/**
 * Returns the stores whose writes can take a role away. Each such write is done between two revocations of what the users have for the
 * organization of their directory: the first leaves nothing that a crash after the write could keep alive, and the second revokes
 * tokens that were issued between the first and the write. Tokens that are issued later do not have the role.
 */
export function revokingLostRoles(
  storage: OrganizationStorage,
  roles: DirectoryRoles,
): Pick<ScimStorage, 'provisionedUsers' | 'groups'> {
  const { provisionedUsers, groups } = storage
  const between = betweenRevocations(storage)

  const swapUser: ProvisionedUserStore['compareAndSwap'] = async (change) => {
    const { providerId, userId: id, version, state, now } = change
    const write = () => provisionedUsers.compareAndSwap(change)
    // A deactivation revokes everything itself.
    if (!state.active) return write()
    const user = await provisionedUsers.find(providerId, id, { without: 'groups' })
    if (user?.version !== version) return write()
    const after = roles.ofUser(providerId, state.resource)
    const loses = roles.ofUser(providerId, user.resource).some((role) => !after.includes(role))
    return between({ providerId, memberIds: loses ? [id] : [], now }, write)
  }

  const changeGroup: GroupStore['change'] = async (change) => {
    const { providerId, groupId, version, now } = change
    const write = () => groups.change(change)
    const group = await groups.find(providerId, groupId)
    if (group === undefined || (version !== undefined && version !== group.version)) return write()
    const outcome = await between({ providerId, memberIds: await losing(group, change, { groups, roles }), now }, write)
    // Another request may have given the group its role meanwhile.
    const written = renamedMeanwhile(group, change, outcome)
    if (written === undefined) return outcome
    const memberIds = await losing(written, change, { groups, roles })
    return between({ providerId, memberIds, now }, async () => outcome)
  }

  const removeGroup: GroupStore['remove'] = async (request) => {
    const { providerId, groupId, version, now } = request
    const group = await groups.find(providerId, groupId)
    const isExpected = group !== undefined && (version === undefined || version === group.version)
    const memberIds = isExpected && roles.ofGroup(providerId, group).length > 0 ? await usersOfGroup(group, groups) : []
    return between({ providerId, memberIds, now }, () => groups.remove(request))
  }

  return {
    provisionedUsers: { ...provisionedUsers, compareAndSwap: swapUser },
    groups: { ...groups, change: changeGroup, remove: removeGroup },
  }
}

/** Returns a function that runs a write that takes roles away from users of a provider, between two revocations. */
function betweenRevocations({ organizations, identityProviders }: OrganizationStorage) {
  async function revoke(organizationId: OrganizationId, { memberIds, now }: Losing): Promise<void> {
    for (let from = 0; from < memberIds.length; from += usersInCall) {
      const userIds = memberIds.slice(from, from + usersInCall).map(userId)
      await organizations.revokeTokens({ organizationId, userIds, now })
    }
  }

  return async <Outcome>(losers: Losing, write: () => Promise<Outcome>): Promise<Outcome> => {
    if (losers.memberIds.length === 0) return write()
    const organizationId = (await identityProviders.find(losers.providerId))?.organizationId
    if (organizationId === undefined) return write()
    await revoke(organizationId, losers)
    const outcome = await write()
    await revoke(organizationId, losers)
    return outcome
  }
}

/** Returns the members of a group who lose a role with a change. */
async function losing(
  group: GroupRecord,
  { providerId, state, members }: GroupChange,
  { groups, roles }: { readonly groups: GroupStore; readonly roles: DirectoryRoles },
): Promise<readonly string[]> {
  const before = roles.ofGroup(providerId, group)
  const after = state === undefined ? before : roles.ofGroup(providerId, state)
  if (before.some((role) => !after.includes(role))) return usersOfGroup(group, groups)
  if (before.length === 0 || members === undefined) return []
  if (members.kind === 'delta') return members.remove.filter((id) => !members.add.includes(id))
  const staying = new Set(members.memberIds)
  return (await usersOfGroup(group, groups)).filter((id) => !staying.has(id))
}

async function usersOfGroup({ providerId, groupId }: GroupRecord, groups: GroupStore): Promise<readonly string[]> {
  const members = (await groups.membersOf(providerId, [groupId])).get(groupId) ?? []
  return members.filter(({ type }) => type === 'User').map(({ memberId }) => memberId)
}

/** The users of a provider who lose a role. */
interface Losing {
  readonly providerId: ProviderId
  readonly memberIds: readonly string[]
  readonly now: EpochSeconds
}

/** Returns the group as it was written, if it had another name or `externalId` than it had when it was read. */
function renamedMeanwhile(
  group: GroupRecord,
  { state }: GroupChange,
  outcome: GroupChangeOutcome,
): GroupRecord | undefined {
  if (state !== undefined || outcome.outcome !== 'swapped') return undefined
  const { record } = outcome
  return record.displayName === group.displayName && record.externalId === group.externalId ? undefined : record
}

/** As many users as one call of `revokeTokens` takes. */
const usersInCall = 100
