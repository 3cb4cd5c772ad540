import type { Storage } from '@mintmark/storage-interface'

import type { ResourceType } from '../schema/define-resource-type.ts'
import { userLocation } from '../user/render-user.ts'
import type { UserRenderer } from '../user/user-form.ts'
import { userText } from '../user/user-text.ts'
import type { ListedType } from './listed-type.ts'

interface ListedUsersDependencies {
  readonly storage: Storage
  readonly userType: ResourceType
  readonly userForm: UserRenderer
}

/** The accounts of a provider: one read for each page. */
export const listedUsers = ({ storage, userType, userForm }: ListedUsersDependencies): ListedType => ({
  resourceType: userType,
  locationOf: userLocation,
  async list(query, showing) {
    const outcome = await storage.provisionedUsers.list(query)
    if (outcome.outcome === 'tooMany') return outcome
    const records = outcome.records.map((user) => userText(user, showing, userForm))
    return { ...outcome, records }
  },
})
