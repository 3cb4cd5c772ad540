import type { ServerResponse } from '@mintmark/core/http'
import type { ProvisionedUserRecord } from '@mintmark/storage-interface'

import { resourceResponse } from '../message/scim-response.ts'
import type { Projection } from '../resource/parse-projection.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { renderUser, userLocation, userVersion } from './render-user.ts'

/** An account as the answer to a request for it, or to a write (RFC 7644 §3.9). */
export function showUser(
  user: ProvisionedUserRecord,
  { status, projection, userType }: { readonly status: 200 | 201; readonly projection: Projection; readonly userType: ResourceType },
  { baseUrl }: ScimCall,
): ServerResponse {
  const shown = projectResource(renderUser(user, baseUrl), userType, projection)
  return resourceResponse(status, shown, { location: userLocation(user.userId, baseUrl), version: userVersion(user) })
}
