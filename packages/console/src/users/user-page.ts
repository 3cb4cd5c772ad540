import { address, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { actionLink } from '../action.ts'
import { at } from '../api.ts'
import { agentsOfUser } from '../clients/agents.ts'
import { clientNames } from '../clients/client-names.ts'
import { changeStatus } from '../elements/notice.ts'
import { code, codes, facts, tableSection } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { recordsOf, textOf, textsOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { stateOf, userName } from './user.ts'

/** Shows one user with sessions, grants and memberships, as far as the administrator may see them. */
export const userPage: Page = async (visit) => {
  const { api, caller, messages, part } = visit
  const id = part('user_id')
  const user = await api.get(at`/users/${id}`)
  const mayReadGrants = caller.can('read', 'grants')
  const grants = mayReadGrants ? recordsOf((await api.get(at`/users/${id}/grants`))['items']) : undefined
  const sessions = mayReadGrants ? recordsOf((await api.get(at`/users/${id}/sessions`))['items']) : undefined
  const memberships = caller.can('read', 'organizations')
    ? recordsOf((await api.get(at`/users/${id}/memberships`))['items'])
    : undefined
  const agents = await agentsOfUser(visit, id)
  const nameOf = await clientNames(visit, [
    ...(grants ?? []).map(({ client_id: client }) => textOf(client)),
    ...(sessions ?? []).flatMap(({ client_ids: clients }) => textsOf(clients)),
  ])
  const { name } = userName(user)
  return visit.show({
    title: name,
    section: 'users',
    body: html`${head(renderName(name, messages.unnamed), accountButtons(user, visit))}
${changeStatus(visit)}
<section>${accountFacts(user, visit)}</section>
${sessions && sessionTable(sessions, nameOf, visit)}
${grants && grantTable(grants, nameOf, visit)}
${memberships && membershipTable(memberships, visit)}
${agents}`,
  })
}

function accountButtons(user: JsonObject, visit: Visit): Fragment | undefined {
  if (!visit.caller.can('write', 'users')) return undefined
  const path = at`/users/${visit.part('user_id')}`
  return user['active'] === true
    ? actionLink(visit, { path: `${path}/deactivate`, question: ({ users }) => users.deactivate, isDangerous: true })
    : actionLink(visit, { path: `${path}/reactivate`, question: ({ users }) => users.reactivate, isDangerous: false })
}

function accountFacts(user: JsonObject, { link, messages, caller }: Visit): Fragment {
  const { labels, users } = messages
  const { username, email } = userName(user)
  const provider = textOf(user['provider_id'])
  return facts([
    [labels.identifier, code(textOf(user['user_id']))],
    [labels.state, stateOf(user, messages)],
    [labels.username, username],
    [labels.email, email],
    [
      labels.source,
      provider !== '' && caller.can('read', 'providers')
        ? html`<a ${address('href', link(at`/directories/${provider}`))}>${code(provider)}</a>`
        : provider || users.host,
    ],
    [labels.created, time(user['created_at'], messages)],
    [labels.changed, time(user['updated_at'], messages)],
  ])
}

type NameOf = (clientId: string) => string

function sessionTable(sessions: readonly JsonObject[], nameOf: NameOf, visit: Visit): Fragment {
  const { messages, caller, part } = visit
  const { labels, users } = messages
  const mayEnd = caller.can('write', 'grants')
  const path = at`/users/${part('user_id')}`
  const rows = sessions.map((session) => {
    const browser = textOf(session['user_agent']) || users.unknownBrowser
    const end = {
      path: path + at`/sessions/${textOf(session['session_id'])}/end`,
      question: () => users.endSession,
      isDangerous: true,
      object: browser,
    }
    return [
      browser,
      textOf(session['location']),
      time(session['signed_in_at'], messages),
      time(session['last_seen_at'], messages),
      textsOf(session['client_ids']).map(nameOf).join(', '),
      ...(mayEnd ? [actionLink(visit, end)] : []),
    ]
  })
  const signOut = { path: `${path}/sign-out`, question: () => users.signOut, isDangerous: true }
  return tableSection(
    {
      title: users.sessions,
      id: 'sessions',
      columns: [
        labels.browser,
        labels.place,
        labels.signedIn,
        labels.lastUsed,
        labels.clients,
        ...(mayEnd ? [labels.action] : []),
      ],
      rows,
    },
    visit,
    mayEnd && sessions.length > 0 ? html`<div class="buttons">${actionLink(visit, signOut)}</div>` : undefined,
  )
}

function grantTable(grants: readonly JsonObject[], nameOf: NameOf, visit: Visit): Fragment {
  const { messages, caller, part } = visit
  const { labels, users, states } = messages
  const mayRevoke = caller.can('write', 'grants')
  const path = at`/users/${part('user_id')}`
  const rows = grants.map((grant) => {
    const name = nameOf(textOf(grant['client_id']))
    const isActive = grant['honoured'] === true
    const revoke = {
      path: path + at`/grants/${textOf(grant['grant_id'])}/revoke`,
      question: () => users.revokeGrant,
      isDangerous: true,
      object: name,
    }
    return [
      name,
      codes([...textsOf(grant['scopes']), ...textsOf(grant['resources'])]),
      time(grant['created_at'], messages),
      isActive ? states.active : states.revoked,
      ...(mayRevoke ? [isActive ? actionLink(visit, revoke) : ''] : []),
    ]
  })
  const revokeAll = { path: `${path}/revoke-grants`, question: () => users.revokeGrants, isDangerous: true }
  return tableSection(
    {
      title: users.grants,
      id: 'grants',
      columns: [labels.client, labels.scopes, labels.created, labels.state, ...(mayRevoke ? [labels.action] : [])],
      rows,
    },
    visit,
    mayRevoke && grants.length > 1 ? html`<div class="buttons">${actionLink(visit, revokeAll)}</div>` : undefined,
  )
}

function membershipTable(memberships: readonly JsonObject[], visit: Visit): Fragment {
  const { messages, link } = visit
  return tableSection(
    {
      title: messages.users.memberships,
      id: 'memberships',
      columns: [messages.labels.identifier, messages.labels.roles],
      rows: memberships.map((membership) => {
        const organization = textOf(membership['organization_id'])
        return [
          html`<a ${address('href', link(at`/organizations/${organization}`))}>${code(organization)}</a>`,
          textsOf(membership['roles']).join(', '),
        ]
      }),
    },
    visit,
  )
}
