import { type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import type { Messages } from '../languages/messages.ts'
import { recordOf, textOf } from '../values.ts'

/** Returns the names of a user: claims of OpenID Connect Core §5.1, or the identifier if there is no name. */
export function userName(user: JsonObject): {
  readonly name: string
  readonly username: string
  readonly email: string
} {
  const claims = recordOf(user['claims'])
  const [username, email] = [textOf(claims['preferred_username']), textOf(claims['email'])]
  return { name: textOf(claims['name']) || username || email || textOf(user['user_id']), username, email }
}

export function stateOf(user: JsonObject, { states }: Messages): Fragment {
  if (user['active'] === true) return html`${states.active}`
  return html`<span class="bad">${user['blocked_at'] === undefined ? states.deactivated : states.blocked}</span>`
}
