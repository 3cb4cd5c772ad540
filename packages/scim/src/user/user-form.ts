import type { ResourceType } from '../schema/define-resource-type.ts'
import { scimRoot } from '../server/scim-path.ts'
import { checksum } from '../text/checksum.ts'
import { storedApart } from './stored-apart.ts'

/** What a server makes of a user's resource when nothing in particular is asked for. */
export interface UserForm {
  /** Texts that are stored under this name are what this server would write. */
  readonly name: string
  readonly userType: ResourceType
  readonly issuer: string
}

/** Worked out once for each server, from everything that the text of a resource depends on beside what its provider said. */
export const createUserForm = (userType: ResourceType, issuer: string): UserForm => ({
  name: checksum(JSON.stringify([userType.shownByDefault, [...storedApart], scimRoot(issuer)])),
  userType,
  issuer,
})
