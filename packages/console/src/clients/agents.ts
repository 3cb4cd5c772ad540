import { address, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { code, pageLinks, tableSection } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { ApiError } from '../refusals.ts'
import { userName } from '../users/user.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { enabledState } from './clients-page.ts'

/** Lists the agents that a directory provisions. */
export const agentsPage: Page = async (visit) => {
  const { api, messages, part, request, link } = visit
  const provider = part('provider_id')
  const found = await api.get(at`/identity-providers/${provider}/agents`, {
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  const nameOf = await ownerNames(visit, recordsOf(found['items']))
  const owner = (agent: JsonObject): Fragment => {
    const id = textOf(agent['owner_user_id'])
    const name = nameOf.get(id)
    return name === undefined
      ? code(id)
      : html`<a ${address('href', link(at`/users/${id}`))}>${renderName(name, messages.unnamed)}</a>`
  }
  const { agents } = messages
  return visit.show({
    title: agents.title,
    section: 'directories',
    body: html`${head(agents.title)}
<p><a ${address('href', link(at`/directories/${provider}`))}>${code(provider)}</a></p>
${agentTable(found, { column: agents.owner, cell: owner }, visit)}`,
  })
}

/** Renders the agents of a user. */
export async function agentsOfUser(visit: Visit, user: string): Promise<Fragment | undefined> {
  const { api, caller, messages, link, request } = visit
  if (!caller.can('read', 'clients')) return undefined
  const found = await api.get(at`/users/${user}/agents`, {
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  // Most users have none.
  if (recordsOf(found['items']).length === 0) return undefined
  const directory = (agent: JsonObject): Fragment => {
    const id = textOf(agent['provider_id'])
    return caller.can('read', 'providers')
      ? html`<a ${address('href', link(at`/directories/${id}`))}>${code(id)}</a>`
      : code(id)
  }
  return agentTable(found, { column: messages.agents.directory, cell: directory }, visit)
}

interface Holder {
  readonly column: string
  readonly cell: (agent: JsonObject) => Fragment
}

function agentTable(found: JsonObject, { column, cell }: Holder, visit: Visit): Fragment {
  const { messages, link } = visit
  const { labels, agents } = messages
  const rows = recordsOf(found['items']).map((agent) => {
    const isDisabled = agent['disabled_at'] !== undefined
    return [
      html`<a ${address('href', link(at`/clients/${textOf(agent['client_id'])}`))}>${renderName(textOf(agent['client_name']), messages.unnamed)}</a>`,
      cell(agent),
      enabledState(agent, messages),
      isDisabled ? time(agent['disabled_at'], messages) : '',
      isDisabled ? reasonOf(agent, visit) : '',
    ]
  })
  return tableSection(
    {
      title: agents.title,
      id: 'agents',
      columns: [labels.name, column, labels.state, agents.ended, labels.reason],
      rows,
    },
    visit,
    pageLinks(visit, textOf(found['next'])),
  )
}

function reasonOf(agent: JsonObject, { messages: { agents } }: Visit): string {
  switch (agent['ended_by']) {
    case 'owner_inactive':
      return agents.ownerInactive
    case 'directory_disabled':
      return agents.directoryDisabled
    case 'administrator':
      return agents.byAdministrator
    default:
      return agents.byDirectory
  }
}

/** Reads the names of the owners. An owner who was removed, or whom the administrator may not see, has none. */
async function ownerNames({ api, caller }: Visit, agents: readonly JsonObject[]): Promise<ReadonlyMap<string, string>> {
  if (!caller.can('read', 'users')) return new Map()
  const ids = [...new Set(agents.map((agent) => textOf(agent['owner_user_id'])))]
  const named = await Promise.all(
    ids.map(async (id): Promise<readonly (readonly [string, string])[]> => {
      const user = await api.attempt({ method: 'GET', path: at`/users/${id}` })
      return user instanceof ApiError ? [] : [[id, userName(user).name]]
    }),
  )
  return new Map(named.flat())
}
