import { type Journal, mapInPieces, type Pieces, type Random, type Turns, utf8Length } from '@mintmark/internal'
import { groupId, type JsonObject, type JsonValue, type ScimStorage } from '@mintmark/storage-interface'
import {
  type GroupChangeOutcome,
  type GroupMember,
  type GroupRecord,
  type GroupState,
  type MemberChange,
  untilSettled,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import type { FilterLimits } from '../filter/parse-filter.ts'
import { countQuery } from '../list/count-query.ts'
import type { PageLimits } from '../list/search-request.ts'
import { checkPreconditions } from '../call/scim-message.ts'
import { comparableResource } from '../resource/resource.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ResourceQuota } from '../call/resource-quota.ts'
import type { ScimCall } from '../call/scim-call.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import { getText, sameValue, toObject } from '../values/json.ts'
import { foldCase } from '../values/text.ts'
import { groupVersion } from './render-group.ts'

/** The write that a request makes to a group. */
export interface GroupWrite {
  /** All attributes of the group; its `members` are ignored. */
  readonly document: JsonObject
  /** Undefined when membership does not change. */
  readonly members: MemberChange | undefined
  /** The version of the group when its members were read for `members`; undefined when `members` does not depend on them. */
  readonly readAt: number | undefined
}

/**
 * Changes a group and its members in one step (RFC 7644 §3.5). A change of membership alone needs no version, so
 * concurrent requests do not conflict. Any other change is retried on the new state after a conflict, unless the
 * request names a version.
 * @param plan computes the write from the current group; when it throws, nothing is written.
 * @throws ScimError 404 — reason `resource_not_found`; 412 — reason `version_mismatch`; 409 — reasons
 * `external_id_taken`, `group_name_taken`; 400 — reasons `member_unknown`, `members_too_many`, `memberships_too_many`;
 * 413 — reason `resource_too_large`; and whatever `plan` throws.
 */
export function writeGroup(
  call: ScimCall,
  plan: (group: GroupRecord) => Promise<GroupWrite>,
  deps: GroupDependencies,
): Promise<GroupRecord> {
  return untilSettled(async () => {
    const group = await findGroup(call, deps)
    checkPreconditions(call.request, groupVersion(group))
    const { document, members, readAt } = await plan(group)
    const state = changedState(group, groupState(document, deps))
    if (members !== undefined) await requireRoomForMembers(group, members, deps)
    if (state !== undefined && foldCase(state.displayName) !== foldCase(group.displayName))
      await requireFreeName(state.displayName, call, deps)
    const needsVersion = state !== undefined || call.request.headers.has('if-match')
    const outcome = await changeGroup(
      group,
      { state, members, version: needsVersion ? group.version : readAt },
      { call, deps },
    )
    return outcome.outcome === 'conflict' ? undefined : groupOfOutcome(outcome)
  })
}

/**
 * Refuses a name that another group of the provider has, if the host requires unique names. RFC 7643 §4.2 does not
 * require them. The name is looked up before the write, so two simultaneous requests can both succeed.
 * @throws ScimError 409 — reason `group_name_taken`.
 */
export async function requireFreeName(
  displayName: string,
  { caller }: ScimCall,
  { storage, uniqueGroupNames }: GroupDependencies,
): Promise<void> {
  const { providerId } = caller.provider
  if (!uniqueGroupNames(providerId)) return
  const found = await storage.groups.list({ providerId, ...countQuery('displayName', foldCase(displayName)) })
  // RFC 7644 §3.12 uniqueness. If there are too many groups to search, one of them may have the name.
  if (found.outcome === 'tooMany' || found.total > 0) throw refuse('group_name_taken')
}

interface GroupChange {
  readonly version: number | undefined
  readonly state: GroupState | undefined
  readonly members: MemberChange | undefined
}

/** Writes a change and records the event. */
async function changeGroup(
  group: GroupRecord,
  { version, state, members }: GroupChange,
  { call: { now, request }, deps }: { readonly call: ScimCall; readonly deps: GroupDependencies },
): Promise<GroupChangeOutcome> {
  if (state === undefined && members === undefined) return { outcome: 'unchanged', record: group }
  const { providerId, groupId } = group
  const outcome = await deps.storage.groups.change({ providerId, groupId, version, state, members, now })
  if (outcome.outcome === 'swapped') deps.journal.record(request, { type: 'group.changed', providerId, groupId })
  return outcome
}

/**
 * Returns the changed group or throws the refusal of an outcome.
 * @throws ScimError 404 — reason `resource_not_found`; 409 — reason `external_id_taken`; 400 — reason `member_unknown`.
 */
function groupOfOutcome(outcome: Exclude<GroupChangeOutcome, { readonly outcome: 'conflict' }>): GroupRecord {
  switch (outcome.outcome) {
    case 'swapped':
    case 'unchanged':
      return outcome.record
    case 'absent':
      // RFC 7644 §3.12, 404: it was removed since it was read.
      throw refuse('resource_not_found')
    case 'taken':
      throw refuse('external_id_taken')
    case 'memberUnknown':
      // RFC 7643 §4.2: a member is a resource of this provider.
      throw refuse('member_unknown', { attribute: 'members', value: outcome.memberId })
    default:
      return outcome satisfies never
  }
}

/**
 * Finds the group of a request.
 * @throws ScimError 404 — reason `resource_not_found`, including for a group of another provider (RFC 7644 §6).
 */
export async function findGroup(
  { caller, id }: ScimCall,
  { storage }: { readonly storage: ScimStorage },
): Promise<GroupRecord> {
  const group = await storage.groups.find(caller.provider.providerId, groupId(id))
  if (group === undefined) throw refuse('resource_not_found')
  return group
}

/**
 * Returns the columns of a group's row. Its members are stored in other rows.
 * @param document the complete resource, with names spelled as in the schema.
 */
export function groupState(document: JsonObject, { groupType, limits }: GroupStateDependencies): GroupState {
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  // RFC 9110 §15.5.14: the limit is the same as for users.
  if (utf8Length(JSON.stringify(resource)) > limits.resourceBytes) throw refuse('resource_too_large')
  return {
    externalId: getText(document, 'externalId'),
    displayName: getText(document, 'displayName') ?? '',
    resource,
    comparable: comparableResource(resource, groupType),
  }
}

type GroupStateDependencies = Pick<GroupDependencies, 'groupType' | 'limits'>

/**
 * Refuses members who would exceed a limit. Members are counted before the write, so simultaneous requests can exceed
 * the limit slightly.
 * @throws ScimError 400 — reasons `members_too_many`, `memberships_too_many`.
 */
export async function requireRoomForMembers(
  { providerId, groupId }: Pick<GroupRecord, 'providerId' | 'groupId'>,
  change: MemberChange,
  { storage, limits: { groupMembers, groupsOfMember } }: Pick<GroupDependencies, 'storage' | 'limits'>,
): Promise<void> {
  const joining = new Set(change.kind === 'replace' ? change.memberIds : change.add)
  if (joining.size === 0) return
  const { groups } = storage
  // Members to be removed are counted too, because they may not be members at all. So are members who are added again.
  const present = change.kind === 'replace' ? 0 : await groups.countMembers(providerId, [groupId], groupMembers)
  if (present + joining.size > groupMembers) throw refuse('members_too_many', { attribute: 'members' })
  const memberIds = [...joining]
  const largestCount = await groups.countMemberships({
    providerId,
    memberIds,
    excludedGroup: groupId,
    atMost: groupsOfMember,
  })
  if (largestCount >= groupsOfMember) throw refuse('memberships_too_many', { attribute: 'members' })
}

/**
 * Returns the state if it differs from the stored one, otherwise undefined. A write without changes keeps version and
 * date (RFC 7644 §3.5.2.1).
 */
const changedState = (group: GroupRecord, state: GroupState): GroupState | undefined =>
  group.externalId === state.externalId && sameValue(group.resource, state.resource) ? undefined : state

/**
 * Attributes that are not part of the stored resource: they have separate columns or rows, or are assigned by the
 * server.
 */
const excludedAttributes: ReadonlySet<string> = new Set(['id', 'externalId', 'members', 'meta'])

/**
 * Returns the resource of a group that PUT and PATCH change. It contains the `id`, because Okta repeats it in a PATCH.
 * @param members those of `memberElements`; empty when the write does not depend on them.
 */
export const groupDocument = (
  { groupId, resource, externalId }: GroupRecord,
  members: readonly JsonValue[] = [],
): JsonObject =>
  toObject([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    ['members', members.length === 0 ? undefined : members],
  ])

/** Members as values of the attribute `members`. */
export const memberElements = (members: readonly GroupMember[]): Pieces<readonly JsonValue[]> =>
  mapInPieces(members, ({ memberId, type }) =>
    toObject([
      ['value', memberId],
      ['type', type],
    ]),
  )

/** Dependencies of the group endpoints. */
export interface GroupDependencies {
  readonly filterLimits: FilterLimits
  readonly pageLimits: PageLimits
  readonly storage: ScimStorage
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  readonly groupType: ResourceType
  readonly turns: Turns
  readonly limits: Pick<ScimLimits, 'groupMembers' | 'groupsOfMember' | 'resourceBytes'>
  readonly groupQuota: ResourceQuota
  readonly uniqueGroupNames: (providerId: string) => boolean
}
