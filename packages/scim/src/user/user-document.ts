import type { JsonObject, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { objectOf } from '../json/json-object.ts'

/** What a provider may write of an account, as one SCIM resource: what PUT and PATCH work on. Okta repeats the `id` in a PATCH. */
export const userDocument = ({ userId, resource, externalId, active }: ProvisionedUserRecord): JsonObject =>
  objectOf([...Object.entries(resource), ['id', userId], ['externalId', externalId], ['active', active]])
