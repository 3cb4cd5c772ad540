import type { ServerResponse } from '@mintmark/core/http'
import {
  type GroupId,
  type GroupMember,
  type GroupRecord,
  type JsonObject,
  jsonText,
  type JsonText,
  type JsonValue,
  type ScimStorage,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { listLimits } from '../list/search-request.ts'
import type { ListedType } from '../list/type-searches.ts'
import { resourceResponse } from '../message/scim-response.ts'
import { renderMeta } from '../resource/meta.ts'
import { includesAttribute, projectResource } from '../resource/project-resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { userLocation } from '../users/render-user.ts'
import { toObject } from '../values/json.ts'

interface Shown {
  readonly status: 200 | 201
  readonly projection: Projection
  readonly call: ScimCall
}

/** A group as the answer to a request for it, or to a write (RFC 7644 §3.9). */
export async function showGroup(
  group: GroupRecord,
  { status, projection, call: { baseUrl } }: Shown,
  { storage }: { readonly storage: ScimStorage },
): Promise<ServerResponse> {
  const { groupId } = group
  const members = await loadShownMembers([group], projection, { storage })
  const shown = jsonText(projectResource(renderGroup(group, members?.get(groupId) ?? [], baseUrl), projection))
  return resourceResponse(status, shown, { location: groupLocation(groupId, baseUrl), version: groupVersion(group) })
}

/**
 * A group as a SCIM resource, whole (RFC 7643 §4.2): what a projection is made of.
 * @param members nobody when the projection does not show them: see `loadMembers`.
 */
function renderGroup(group: GroupRecord, members: readonly GroupMember[], baseUrl: string): JsonObject {
  const { groupId, resource, externalId } = group
  return toObject([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    ['members', members.length === 0 ? undefined : members.map((member) => renderMember(member, baseUrl))],
    ['meta', JSON.parse(groupMeta(group, baseUrl)) as JsonObject],
  ])
}

const groupMeta = (group: GroupRecord, baseUrl: string): JsonText =>
  renderMeta({
    resourceType: 'Group',
    record: group,
    location: groupLocation(group.groupId, baseUrl),
    version: groupVersion(group),
  })

/** Where the group is read. */
export const groupLocation = (groupId: string, baseUrl: string): string =>
  `${baseUrl}/Groups/${encodeURIComponent(groupId)}`

/** The entity tag (RFC 7644 §3.14). A group's row advances with its members too: the tag changes exactly when the resource does. */
export const groupVersion = ({ version }: GroupRecord): string => `W/"${version}"`

/** RFC 7643 §4.2: who it is says what it is and where. A name is not shown: it is the member's own, and would go stale here. */
const renderMember = ({ memberId, type }: GroupMember, baseUrl: string): JsonValue => ({
  value: memberId,
  $ref: type === 'User' ? userLocation(memberId, baseUrl) : groupLocation(memberId, baseUrl),
  type,
})

/** The members of the groups of an answer, by group. */
type LoadedMembers = ReadonlyMap<GroupId, readonly GroupMember[]>

/**
 * The members of groups of one provider, in one read; and none at all where the answer does not show them, as when Entra looks a
 * group up with `excludedAttributes=members`: there may be tens of thousands (RFC 7644 §3.9).
 * @returns undefined when none are shown. Groups behind those that `listLimits.maxMembers` has room for are not in it.
 */
async function loadShownMembers(
  groups: readonly GroupRecord[],
  projection: Projection,
  { storage }: { readonly storage: ScimStorage },
): Promise<LoadedMembers | undefined> {
  const [group] = groups
  if (group === undefined || !includesAttribute('members', projection)) return undefined
  return storage.groups.membersOf(
    group.providerId,
    groups.map(({ groupId }) => groupId),
    listLimits.maxMembers,
  )
}

interface ListedGroupsDependencies {
  readonly storage: ScimStorage
  readonly groupType: ResourceType
}

/**
 * The groups of a provider: one read for each page, and one for the members of all groups on it, if they are shown. Where those
 * are too many the page is a shorter one, if its cursor says where the next begins.
 * @throws ScimError tooMany — reason `too_many_members`, for a page by its number.
 */
export function listedGroups({ storage, groupType }: ListedGroupsDependencies): ListedType {
  const list: ListedType['list'] = async (query, showing) => {
    const { projection, baseUrl } = showing
    const outcome = await storage.groups.list(query)
    if (outcome.outcome === 'tooMany') return outcome
    const members = await loadShownMembers(outcome.records, projection, { storage })
    const fitting =
      members === undefined ? outcome.records : outcome.records.filter(({ groupId }) => members.has(groupId))
    if (fitting.length < outcome.records.length) {
      // RFC 7644 §3.12 tooMany. §3.4.2.4 allows fewer than count, but Okta goes on by count, to 101 and 201: it would miss groups.
      if (query.page.kind === 'index') throw refusal('too_many_members')
      // Asked again, so that the page behind begins where this one ends.
      return list({ ...query, page: { ...query.page, limit: fitting.length } }, showing)
    }

    const resources = fitting.map((group) => renderGroup(group, members?.get(group.groupId) ?? [], baseUrl))
    return { ...outcome, records: resources.map((resource) => jsonText(projectResource(resource, projection))) }
  }
  return { resourceType: groupType, locationOf: groupLocation, list }
}
