import { type Pieces, runInTurns } from '@mintmark/internal'
import { type JsonObject, type JsonValue, type ScimStorage } from '@mintmark/storage-interface'
import {
  type GroupId,
  type GroupMember,
  type GroupRecord,
  type JsonText,
  jsonText,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { listWithinMemory } from '../list/list-pages.ts'
import type { ListedType } from '../list/type-searches.ts'
import { includesAttribute, projectResource, renderMeta } from '../resource/resource.ts'
import type { Projection, RenderContext, RenderedResource } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import { userLocation } from '../users/render-cache.ts'
import { toObject } from '../values/json.ts'
import { createUtf8Builder } from '../values/text.ts'

/** Renders a group as the JSON of a response (RFC 7644 §3.9), with its members if the response shows them. */
export async function showGroup(
  group: GroupRecord,
  renderContext: RenderContext,
  { storage, limits }: GroupReadDependencies,
): Promise<RenderedResource> {
  const loaded = await loadShownMembers([group], renderContext, { storage, limits })
  const members = loaded?.get(group.groupId) ?? []
  return runInTurns(renderGroup(group, { members, ...renderContext }), renderContext.turns)
}

interface ShownGroup {
  /** Empty when the projection does not show them: see `loadShownMembers`. */
  readonly members: readonly GroupMember[]
  readonly projection: Projection
  readonly baseUrl: string
}

/**
 * Renders the JSON of a group (RFC 7643 §4.2). Adds the members piece by piece, because there may be a hundred
 * thousand.
 */
function* renderGroup(group: GroupRecord, { members, projection, baseUrl }: ShownGroup): Pieces<RenderedResource> {
  const { groupId, resource, externalId } = group
  const complete = toObject([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    ['meta', JSON.parse(groupMeta(group, baseUrl)) as JsonObject],
  ])
  const shown = jsonText(projectResource(complete, projection))
  const pieces: string[] = []
  const bytes =
    members.length > membersAsText ? createUtf8Builder(shown.length + members.length * memberBytes) : undefined
  let separator = `${shown.slice(0, -1)},"members":[`
  for (let from = 0; from < members.length; from += membersInPiece) {
    const piece = members.slice(from, from + membersInPiece).map((member) => renderMember(member, baseUrl))
    const text = jsonText(projectResource({ members: piece }, projection))
    // Drops the object and the list around the members. A projection may leave nothing of them.
    if (text !== '{}') {
      const added = separator + text.slice('{"members":['.length, -']}'.length)
      if (bytes === undefined) pieces.push(added)
      else bytes.add(added)
      separator = ','
    }
    yield
  }
  if (separator !== ',') return shown
  if (bytes === undefined) return `${pieces.join('')}]}` as JsonText
  bytes.add(']}')
  return bytes.toBytes()
}

/** A group with more members is written directly in UTF-8. */
const membersAsText = 1000

const membersInPiece = 100

const groupMeta = (group: GroupRecord, baseUrl: string): JsonText =>
  renderMeta({
    resourceType: 'Group',
    record: group,
    location: groupLocation(group.groupId, baseUrl),
    version: groupVersion(group),
  })

/** Returns the URL of a group. */
const groupLocation = (groupId: string, baseUrl: string): string => `${baseUrl}/Groups/${encodeURIComponent(groupId)}`

/**
 * Returns the entity tag of a group (RFC 7644 §3.14). Membership changes also increment the version of its row, so the
 * tag changes exactly when the resource does.
 */
export const groupVersion = ({ version }: GroupRecord): string => `W/"${version}"`

/**
 * Renders a member (RFC 7643 §4.2). `type` and `$ref` follow from the member. `display` is omitted, because a copy of
 * the member's name would become outdated.
 */
const renderMember = ({ memberId, type }: GroupMember, baseUrl: string): JsonValue => ({
  value: memberId,
  $ref: type === 'User' ? userLocation(memberId, baseUrl) : groupLocation(memberId, baseUrl),
  type,
})

/** The members of the groups in a response, by group. */
type LoadedMembers = ReadonlyMap<GroupId, readonly GroupMember[]>

/**
 * Loads the members of groups in one read. Loads nothing when the response does not show them, because there may be
 * tens of thousands: Entra looks a group up with `excludedAttributes=members` (RFC 7644 §3.9). It counts the
 * members first, and reads them when they and their JSON fit in memory alongside other large responses.
 * @param deps.bytes the maximum number of bytes for members; unlimited by default.
 * @returns undefined when members are not shown. Groups beyond the limit are missing from the map, but never the first
 * group.
 */
async function loadShownMembers(
  groups: readonly GroupRecord[],
  { projection, waitForRoom, signal }: RenderContext,
  { storage, limits, bytes }: GroupReadDependencies & { readonly bytes?: number | undefined },
): Promise<LoadedMembers | undefined> {
  const [group] = groups
  if (group === undefined || !includesAttribute('members', projection)) return undefined
  const { providerId } = group
  const groupIds = groups.map(({ groupId }) => groupId)
  const limit = bytes === undefined ? undefined : Math.max(1, Math.floor(bytes / memberBytes))
  const atMost = Math.max(limits.groupMembers, limit ?? 0)
  await waitForRoom((await storage.groups.countMembers(providerId, groupIds, atMost)) * (memberBytes + readMemberBytes))
  return storage.groups.membersOf(providerId, groupIds, { limit, signal })
}

/** The bytes of a member in a response, which contains a UUID twice and the URL of a tenant. */
const memberBytes = 200

/** The bytes of a member as it was read from storage. */
const readMemberBytes = 100

interface GroupReadDependencies {
  readonly storage: ScimStorage
  readonly limits: Pick<ScimLimits, 'groupMembers'>
}

interface ListedGroupsDependencies extends GroupReadDependencies {
  readonly groupType: ResourceType
}

/**
 * Lists the groups of a provider: one read for the page, and one for the members of its groups when they are shown. When there
 * are too many members, a page with a cursor is shortened.
 * @throws ScimError tooMany — reason `too_many_members`, for a page by index.
 */
export function listedGroups({ storage, limits, groupType }: ListedGroupsDependencies): ListedType {
  const list: ListedType['list'] = async (query, renderContext) => {
    const outcome = await listWithinMemory(query, (page) => storage.groups.list(page), renderContext)
    if (outcome.outcome === 'tooMany') return outcome
    const members = await loadShownMembers(outcome.records, renderContext, { storage, limits, bytes: query.maxBytes })
    const fittingGroups =
      members === undefined ? outcome.records : outcome.records.filter(({ groupId }) => members.has(groupId))
    if (fittingGroups.length < outcome.records.length) {
      // RFC 7644 §3.12 tooMany. §3.4.2.4 allows fewer resources than count, but Okta continues at 101 and 201 and would miss
      // groups.
      if (query.page.kind === 'index') throw refuse('too_many_members')
      // Reads again with a lower limit, so that the next page begins where this one ends.
      return list({ ...query, page: { ...query.page, limit: fittingGroups.length } }, renderContext)
    }

    const records = fittingGroups.map((group) =>
      renderGroup(group, { members: members?.get(group.groupId) ?? [], ...renderContext }),
    )
    return { ...outcome, records }
  }
  return { resourceType: groupType, locationOf: groupLocation, list }
}
