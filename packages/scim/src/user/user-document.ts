import type { JsonObject, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { objectOf } from '../json/json-object.ts'
import { resourceOf } from './resource-text.ts'

/** What a provider may write of an account, as one SCIM resource: what PUT and PATCH work on. Okta repeats the `id` in a PATCH. */
export const userDocument = (user: ProvisionedUserRecord): JsonObject =>
  objectOf([
    ...Object.entries(resourceOf(user)),
    ['id', user.userId],
    ['externalId', user.externalId],
    ['active', user.active],
  ])
