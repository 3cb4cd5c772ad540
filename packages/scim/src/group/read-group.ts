import { isKnown } from '../message/preconditions.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { unchangedResponse } from '../message/scim-response.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { findGroup } from './find-group.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { groupLocation, groupVersion } from './render-group.ts'
import { showGroup } from './show-group.ts'

/** GET /Groups/{id} (RFC 7644 §3.4.1). */
export const readGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.groupType)
    const group = await findGroup(call, deps)
    const version = groupVersion(group)
    if (isKnown(call.request, version))
      return unchangedResponse({ location: groupLocation(group.groupId, call.baseUrl), version })
    return showGroup(group, { status: 200, projection, call }, deps)
  }
