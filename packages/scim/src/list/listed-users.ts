import type { Storage } from '@mintmark/storage-interface'

import { projectResource } from '../resource/project-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { renderUser, userLocation } from '../user/render-user.ts'
import type { ListedType } from './listed-type.ts'

interface ListedUsersDependencies {
  readonly storage: Storage
  readonly userType: ResourceType
}

/** The accounts of a provider: one read for each page. */
export const listedUsers = ({ storage, userType }: ListedUsersDependencies): ListedType => ({
  resourceType: userType,
  locationOf: userLocation,
  async list(query, { projection, baseUrl }) {
    const outcome = await storage.provisionedUsers.list(query)
    if (outcome.outcome === 'tooMany') return outcome
    const records = outcome.records.map((user) => projectResource(renderUser(user, baseUrl), projection))
    return { ...outcome, records }
  },
})
