import type { ServerResponse } from '@mintmark/core/http'
import type { ProvisionedUserRecord } from '@mintmark/storage-interface'

import { resourceResponse } from '../message/scim-response.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { renderUser, userLocation, userVersion } from './render-user.ts'

/** An account as the answer to a request for it, or to a write (RFC 7644 §3.9). */
export function showUser(
  user: ProvisionedUserRecord,
  { status, projection }: { readonly status: 200 | 201; readonly projection: Projection },
  { baseUrl }: ScimCall,
): ServerResponse {
  const shown = projectResource(renderUser(user, baseUrl), projection)
  return resourceResponse(status, shown, { location: userLocation(user.userId, baseUrl), version: userVersion(user) })
}
