import { AdminError, type Actor, type Administrations } from '@mintmark/admin'
import { requireSameOrigin, type CookieSessions } from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'

import { isAdministrator } from '../demo-people.ts'
import type { People } from '../../../../packages/create-mintmark/template/src/people.ts'
import type { AdminPage } from './admin-page.ts'

interface AdministratorDependencies {
  readonly sessions: CookieSessions
  readonly people: People
  readonly administrations: Administrations
}

/**
 * Lets the administrator through to a page, and nobody else. Who is signed in is asked of storage for every request, so
 * a session or an account that was ended a moment ago opens nothing.
 * @throws OAuthError access_denied — reason `cross_site_post`; AdminError `not_an_administrator`. Nothing was done.
 */
export const forAdministrators =
  ({ sessions, people, administrations }: AdministratorDependencies) =>
  (page: AdminPage): Endpoint =>
  async (request) => {
    requireSameOrigin(request)
    const signedIn = await sessions.signedIn(request)
    const person = signedIn && people.find(signedIn.subject)
    if (person === undefined || !isAdministrator(person)) {
      // RFC 9110 §15.5.4: whoever else is signed in, and whoever is not.
      const detail = 'Only the administrator may come here. Sign in to one of the apps as ada first.'
      throw new AdminError('not_an_administrator', { detail })
    }
    const actor: Actor = { kind: 'person', id: person.subject }
    return page({ request, actor, admin: administrations.as(actor) })
  }
