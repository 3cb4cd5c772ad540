import { jsonText, type JsonObject, type JsonText, type ListedUserRecord } from '@mintmark/storage-interface'

import { joinObjects } from '../json/join-objects.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { Showing } from '../schema/shown-attributes.ts'
import { knownText, renderUser } from './render-user.ts'
import type { UserRenderer } from './user-form.ts'

/**
 * An account as an answer shows it (RFC 7644 §3.9). Text that was stored under the name of this server's form is what would be made of
 * it here, and goes out unread; of all other text only what a schema defines leaves.
 */
export function userText(
  user: ListedUserRecord,
  { projection, baseUrl }: Showing,
  { name, shownByDefault, shownApart }: UserRenderer,
): JsonText {
  const isReady = user.resourceForm === name && projection === shownByDefault
  if (!isReady) return jsonText(projectResource(renderUser(user, baseUrl), projection))
  const known = knownText(user, baseUrl)
  return joinObjects(
    user.resource,
    shownApart === 'all' ? known : jsonText(projectResource(JSON.parse(known) as JsonObject, shownApart)),
  )
}
