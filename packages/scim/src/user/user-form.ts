import {
  epochSeconds,
  groupId,
  jsonText,
  providerId,
  userId,
  type JsonObject,
  type ListedUserRecord,
} from '@mintmark/storage-interface'

import { projectResource } from '../resource/project-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import { scimRoot } from '../server/scim-path.ts'
import { checksum } from '../text/checksum.ts'
import { knownText } from './render-user.ts'
import { storedApart } from './stored-apart.ts'

/** What a server makes of a user's resource when nothing in particular is asked for. */
export interface UserRenderer {
  /** Texts that are stored under this name are what this server would write. */
  readonly name: string
  /** What the text is made by. */
  readonly shownByDefault: Projection
  /** What is shown beside the text, of what `knownText` writes: all of it as it stands there, or a part. */
  readonly shownApart: Projection | 'all'
  readonly issuer: string
}

/** Worked out once for each server, from everything that the text of a resource depends on beside what its provider said. */
export const createUserRenderer = (
  { shownByDefault }: Pick<ResourceType, 'shownByDefault'>,
  issuer: string,
): UserRenderer => ({
  name: checksum(JSON.stringify([rendering, shownByDefault, [...storedApart], scimRoot(issuer)])),
  shownByDefault,
  shownApart: shownApart(shownByDefault),
  issuer,
})

/** Tried on an example: whether a projection leaves nothing out, and keeps the order. */
function shownApart({ attributes }: Projection): UserRenderer['shownApart'] {
  const shown = { attributes: attributes.filter(({ name }) => storedApart.has(name)), extensions: [] }
  const whole = knownText(somebody, '')
  return jsonText(projectResource(JSON.parse(whole) as JsonObject, shown)) === whole ? 'all' : shown
}

/** An account with everything that can be known of one. */
const somebody: ListedUserRecord = {
  userId: userId('1'),
  providerId: providerId('p'),
  externalId: 'x',
  adopted: false,
  active: true,
  generation: 0,
  version: 1,
  createdAt: epochSeconds(0),
  updatedAt: epochSeconds(0),
  resource: jsonText({}),
  resourceForm: undefined,
  groups: [{ groupId: groupId('g'), displayName: 'G' }],
}

/** Advances with every release that makes another text of the same resource: what was stored by an older one is then read. */
const rendering = 1
