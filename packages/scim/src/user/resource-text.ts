import {
  jsonText,
  type JsonObject,
  type ProviderId,
  type ProvisionedState,
  type ProvisionedUserRecord,
} from '@mintmark/storage-interface'

import { sameValue } from '../json/same-value.ts'
import { projectResource } from '../resource/project-resource.ts'
import { tenantUrl } from '../server/scim-path.ts'
import { withManagerReference } from './manager-reference.ts'
import { userLocation } from './render-user.ts'
import type { UserRenderer } from './user-form.ts'

type StoredResource = Pick<ProvisionedState, 'resource' | 'resourceForm'>

/**
 * What is stored of a resource: the text that an answer shows of it, under the name of the server's form, so that it can go out as it
 * is. Of a resource that an answer shows a part of, the text of it all, under no name.
 */
export function storedResource(
  resource: JsonObject,
  providerId: ProviderId,
  { name, shownByDefault, issuer }: UserRenderer,
): StoredResource {
  const baseUrl = tenantUrl(issuer, providerId)
  const whole = withManagerReference(resource, (userId) => userLocation(userId, baseUrl))
  const shown = projectResource(whole, shownByDefault)
  return sameValue(whole, shown)
    ? { resource: jsonText(shown), resourceForm: name }
    : { resource: jsonText(resource), resourceForm: undefined }
}

/** What the provider said, as values: without the reference that was put in for those who read the text. */
export const resourceOf = ({ resource }: StoredResource): JsonObject =>
  withManagerReference(JSON.parse(resource) as JsonObject, () => undefined)

/**
 * Whether an account says what a resource says. Texts of one form are equal when their values are: they name the same members in the
 * same order.
 */
export function saysTheSame(
  user: ProvisionedUserRecord,
  written: { readonly state: StoredResource; readonly resource: JsonObject },
): boolean {
  const { resource, resourceForm } = written.state
  if (user.resource === resource) return true
  const isOneForm = resourceForm !== undefined && user.resourceForm === resourceForm
  return !isOneForm && sameValue(resourceOf(user), written.resource)
}
