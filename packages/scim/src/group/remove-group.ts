import { untilSettled } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { requireMatch } from '../message/preconditions.ts'
import { emptyResponse } from '../message/scim-response.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { findGroup } from './find-group.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { groupVersion } from './render-group.ts'

/** DELETE /Groups/{id} (RFC 7644 §3.6): the group and its memberships; its members stay. */
export const removeGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  (call) =>
    untilSettled(async () => {
      const { caller, now, request } = call
      const { providerId } = caller.provider
      const group = await findGroup(call, deps)
      const { groupId } = group
      requireMatch(request, groupVersion(group))

      // Without If-Match it goes in whatever version it is: members that come and go meanwhile do not hold it up.
      const version = request.headers.has('if-match') ? group.version : undefined
      const { outcome } = await deps.storage.groups.remove({ providerId, groupId, version, now })
      if (outcome === 'conflict') return undefined
      // RFC 7644 §3.6: of several who remove one, one does.
      if (outcome === 'absent') throw refusal('resource_not_found')
      deps.journal.record(request, { type: 'group.removed', providerId, groupId })
      return emptyResponse()
    })
