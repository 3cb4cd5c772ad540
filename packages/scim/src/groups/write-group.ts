import type { Journal } from '@mintmark/core/http'
import type { Random } from '@mintmark/core/runtime'
import {
  type GroupChangeOutcome,
  groupId,
  type GroupMember,
  type GroupRecord,
  type GroupState,
  type JsonObject,
  type MemberChange,
  type ScimStorage,
  untilSettled,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import { checkPreconditions } from '../message/preconditions.ts'
import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { toObject, sameValue, getText } from '../values/json.ts'
import { groupVersion } from './render-group.ts'

/** What becomes of a group. */
export interface GroupWrite {
  /** Its own attributes, all of them; members in it are not looked at. */
  readonly document: JsonObject
  /** Undefined when nobody comes or goes. */
  readonly members: MemberChange | undefined
  /** The version at which the members were read that `members` was made from; undefined when it does not depend on them. */
  readonly readAt: number | undefined
}

/**
 * Changes a group and its members in one step (RFC 7644 §3.5). Where only members come and go no version is needed, so that
 * concurrent requests do not disturb each other. Otherwise the change is made again on what a faster writer left, unless the
 * caller has named the version it means.
 * @param plan makes the write from the group that is there; it may throw, and then nothing is written.
 * @throws ScimError 404 — reason `resource_not_found`; 412 — reason `version_mismatch`; 409 — reason `external_id_taken`; 400 —
 * reason `member_unknown`; and whatever `plan` throws.
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
    const state = changedState(group, groupState(document, deps.groupType))
    const isPinned = state !== undefined || call.request.headers.has('if-match')
    const outcome = await changeGroup(
      group,
      { state, members, version: isPinned ? group.version : readAt },
      { call, deps },
    )
    return outcome.outcome === 'conflict' ? undefined : groupOfOutcome(outcome)
  })
}

interface GroupChange {
  readonly version: number | undefined
  readonly state: GroupState | undefined
  readonly members: MemberChange | undefined
}

/** Carries a change out, and tells of it. */
export async function changeGroup(
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
 * The group that a change led to.
 * @throws ScimError 404 — reason `resource_not_found`; 409 — reason `external_id_taken`; 400 — reason `member_unknown`.
 */
export function groupOfOutcome(outcome: Exclude<GroupChangeOutcome, { readonly outcome: 'conflict' }>): GroupRecord {
  switch (outcome.outcome) {
    case 'swapped':
    case 'unchanged':
      return outcome.record
    case 'absent':
      // RFC 7644 §3.12, 404: removed since it was read.
      throw refusal('resource_not_found')
    case 'taken':
      // RFC 7644 §3.12 uniqueness.
      throw refusal('external_id_taken')
    case 'memberUnknown':
      // RFC 7643 §4.2: a member is a resource of this provider.
      throw refusal('member_unknown')
    default:
      return outcome satisfies never
  }
}

/**
 * The group at the address, if it is the caller's.
 * @throws ScimError 404 — reason `resource_not_found`: the same for another provider's and for none (RFC 7644 §6).
 */
export async function findGroup(
  { caller, id }: ScimCall,
  { storage }: { readonly storage: ScimStorage },
): Promise<GroupRecord> {
  const group = await storage.groups.find(caller.provider.providerId, groupId(id))
  // RFC 7644 §3.12, 404.
  if (group === undefined) throw refusal('resource_not_found')
  return group
}

/**
 * Takes a resource apart into what is stored in a group's own row; its members are rows of their own.
 * @param document complete, with names as the schema spells them.
 */
export function groupState(document: JsonObject, groupType: ResourceType): GroupState {
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  return {
    externalId: getText(document, 'externalId'),
    displayName: getText(document, 'displayName') ?? '',
    resource,
    comparable: comparableResource(resource, groupType),
  }
}

/** The state when it differs from what is stored (RFC 7644 §3.5.2.1: what changes nothing leaves version and date alone). */
export const changedState = (group: GroupRecord, state: GroupState): GroupState | undefined =>
  group.externalId === state.externalId && sameValue(group.resource, state.resource) ? undefined : state

/** Columns of their own, rows of their own, or made by the server. */
const excludedAttributes: ReadonlySet<string> = new Set(['id', 'externalId', 'members', 'meta'])

/**
 * A group as one SCIM resource: what PUT and PATCH work on. Its `id` is in it, because Okta repeats that in a PATCH.
 * @param members nobody when the write does not depend on who is there.
 */
export const groupDocument = (
  { groupId, resource, externalId }: GroupRecord,
  members: readonly GroupMember[] = [],
): JsonObject =>
  toObject([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    [
      'members',
      members.length === 0
        ? undefined
        : members.map(({ memberId, type }) =>
            toObject([
              ['value', memberId],
              ['type', type],
            ]),
          ),
    ],
  ])

/** What the endpoints of groups ask for, made once per server. */
export interface GroupDependencies {
  readonly storage: ScimStorage
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  readonly groupType: ResourceType
}
