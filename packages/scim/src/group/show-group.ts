import type { ServerResponse } from '@mintmark/core/http'
import { jsonText, type GroupRecord } from '@mintmark/storage-interface'

import { resourceResponse } from '../message/scim-response.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import type { ScimCall } from '../server/scim-call.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { loadMembers } from './load-members.ts'
import { groupLocation, groupVersion, renderGroup } from './render-group.ts'

interface Shown {
  readonly status: 200 | 201
  readonly projection: Projection
  readonly call: ScimCall
}

/** A group as the answer to a request for it, or to a write (RFC 7644 §3.9). */
export async function showGroup(
  group: GroupRecord,
  { status, projection, call: { baseUrl } }: Shown,
  { storage }: GroupDependencies,
): Promise<ServerResponse> {
  const { groupId } = group
  const members = await loadMembers([group], projection, { storage })
  const shown = jsonText(projectResource(renderGroup(group, members?.get(groupId) ?? [], baseUrl), projection))
  return resourceResponse(status, shown, { location: groupLocation(groupId, baseUrl), version: groupVersion(group) })
}
