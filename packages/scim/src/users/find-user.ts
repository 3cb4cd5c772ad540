import { type ProvisionedUserRecord, type ScimStorage, userId } from '@mintmark/storage-interface'
import type { ListQuery } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'
import { hasPreconditions } from '../message/scim-message.ts'
import { includesAttribute } from '../resource/resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ScimCall } from '../server/scim-call.ts'

/**
 * Finds the user of a request. The groups are left out when neither the response nor a precondition needs them.
 * @param projection the attributes that the response shows; undefined when it has no body.
 * @throws ScimError 404 — reason `resource_not_found`, including for a user of another provider (RFC 7644 §6).
 */
export async function findUser(
  { caller, id, request }: Pick<ScimCall, 'caller' | 'id' | 'request'>,
  projection: Projection | undefined,
  { storage }: { readonly storage: ScimStorage },
): Promise<ProvisionedUserRecord> {
  const { providerId } = caller.provider
  const options = groupReadOptions(request, projection)
  // OIDC Core §2: a `sub` has at most 255 characters, so no user has a longer id.
  const user = id.length > 255 ? undefined : await storage.provisionedUsers.find(providerId, userId(id), options)
  // RFC 7644 §3.12, 404.
  if (user === undefined) throw refusal('resource_not_found')
  return user
}

/**
 * Returns the options for reading a user. They leave out the groups unless the response shows them, or a precondition
 * compares the version, which covers them.
 */
export const groupReadOptions = (
  request: ScimCall['request'],
  projection: Projection | undefined,
): Pick<ListQuery, 'without'> =>
  hasPreconditions(request) || (projection !== undefined && includesAttribute('groups', projection))
    ? {}
    : { without: 'groups' }

/**
 * Charges the work budget of a request for the groups of a user who is about to be written. Each operation of a Bulk
 * request may read thousands of groups.
 * @throws ScimError 413 (RFC 9110 §15.5.14) — reason `operations_too_many`.
 */
export function chargeForGroups({ work }: Pick<ScimCall, 'work'>, { groups = [] }: ProvisionedUserRecord): void {
  const units = groups.reduce((sum, { displayName }) => sum + workPerGroup + displayName.length / charactersPerWork, 0)
  // RFC 9110 §15.5.14: as for the members of a group.
  if (!work.spend(units)) throw refusal('operations_too_many')
}

/** The work of reading a group, in values that are read (see `ScimLimits.work`). */
const workPerGroup = 4

/** Reading this many characters of names takes as long as reading one value. */
const charactersPerWork = 40
