import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import { scimRoot } from '../server/scim-path.ts'
import { checksum } from '../text/checksum.ts'
import { storedApart } from './stored-apart.ts'

/** What a server makes of a user's resource when nothing in particular is asked for. */
export interface UserForm {
  /** Texts that are stored under this name are what this server would write. */
  readonly name: string
  /** What the text is made by. */
  readonly shownByDefault: Projection
  /** What is shown beside the text: of columns, of groups, and of what the server makes. */
  readonly shownApart: Projection
  readonly issuer: string
}

/** Worked out once for each server, from everything that the text of a resource depends on beside what its provider said. */
export const createUserForm = ({ shownByDefault }: Pick<ResourceType, 'shownByDefault'>, issuer: string): UserForm => ({
  name: checksum(JSON.stringify([rendering, shownByDefault, [...storedApart], scimRoot(issuer)])),
  shownByDefault,
  shownApart: { attributes: shownByDefault.attributes.filter(({ name }) => storedApart.has(name)), extensions: [] },
  issuer,
})

/** Advances with every release that makes another text of the same resource: what was stored by an older one is then read. */
const rendering = 1
