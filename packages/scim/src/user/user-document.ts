import type { JsonObject, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { objectOf } from '../json/json-object.ts'

/** What a provider may write of an account, as one SCIM resource: what PUT and PATCH work on. */
export const userDocument = ({ resource, externalId, active }: ProvisionedUserRecord): JsonObject =>
  objectOf([...Object.entries(resource), ['externalId', externalId], ['active', active]])
