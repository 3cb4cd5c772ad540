import type { GroupId, GroupMember, GroupRecord, Storage } from '@mintmark/storage-interface'

import { listLimits } from '../list/list-limits.ts'
import { isShown } from '../resource/project-resource.ts'
import type { Projection } from '../schema/shown-attributes.ts'

/** The members of the groups of an answer, by group. */
export type LoadedMembers = ReadonlyMap<GroupId, readonly GroupMember[]>

/**
 * The members of groups of one provider, in one read; and none at all where the answer does not show them, as when Entra looks a
 * group up with `excludedAttributes=members`: there may be tens of thousands (RFC 7644 §3.9).
 * @returns undefined when none are shown. Groups behind those that `listLimits.maxMembers` has room for are not in it.
 */
export async function loadMembers(
  groups: readonly GroupRecord[],
  projection: Projection,
  { storage }: { readonly storage: Storage },
): Promise<LoadedMembers | undefined> {
  const [group] = groups
  if (group === undefined || !isShown('members', projection)) return undefined
  return storage.groups.membersOf(
    group.providerId,
    groups.map(({ groupId }) => groupId),
    listLimits.maxMembers,
  )
}
