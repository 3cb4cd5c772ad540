import type { ServerResponse } from '@mintmark/core/http'
import type { ProvisionedUserRecord } from '@mintmark/storage-interface'

import { resourceResponse } from '../message/scim-response.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import type { ScimCall } from '../server/scim-call.ts'
import { userLocation, userVersion } from './render-user.ts'
import type { UserStateDependencies } from './user-state.ts'
import { userText } from './user-text.ts'

interface Shown {
  readonly status: 200 | 201
  readonly projection: Projection
  readonly call: ScimCall
}

/** An account as the answer to a request for it, or to a write (RFC 7644 §3.9). */
export function showUser(
  user: ProvisionedUserRecord,
  { status, projection, call: { baseUrl } }: Shown,
  { userForm }: UserStateDependencies,
): ServerResponse {
  const shown = userText(user, { projection, baseUrl }, userForm)
  return resourceResponse(status, shown, { location: userLocation(user.userId, baseUrl), version: userVersion(user) })
}
