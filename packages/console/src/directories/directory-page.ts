import { address, fill, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { actionLink } from '../action.ts'
import { at } from '../api.ts'
import { changeStatus } from '../elements/notice.ts'
import { code, facts, pageLinks, tableSection } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { holderSecrets, stateButton } from '../secret-holder.ts'
import { numberOf, recordOf, recordsOf, refusalIn, textOf, textsOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { directoryHolder } from './directory-actions.ts'
import { directoryName, directoryState, suspendedAt } from './directories-page.ts'

/** Shows one directory: its settings, what to do at the directory, its Secret Tokens and its last requests. */
export const directoryPage: Page = async (visit) => {
  const { api, messages, part, request } = visit
  const id = part('provider_id')
  const provider = await api.get(at`/identity-providers/${id}`)
  const setups = await Promise.all(
    ['entra', 'okta'].map((product) => api.get(at`/identity-providers/${id}/setup`, { product })),
  )
  const requests = await api.get(at`/identity-providers/${id}/requests`, {
    limit: '20',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  const name = directoryName(provider)
  return visit.show({
    title: name,
    section: 'directories',
    body: html`${head(renderName(name, messages.unnamed), visit.caller.can('write', 'providers') ? stateButton(provider, directoryHolder, visit) : undefined)}
${changeStatus(visit)}
${suspensionNotice(provider, visit)}
<section>${directoryFacts(provider, visit)}
${setups.map((setup) => setupText(setup, visit))}
${setupLink(provider, visit)}</section>
${holderSecrets(provider, directoryHolder, visit)}
${agentsLink(visit)}
${requestTable(requests, visit)}`,
  })
}

/** Leads to the agents that the directory provisions, for those who may see clients. */
const agentsLink = ({ caller, link, messages, part }: Visit): Fragment | undefined =>
  caller.can('read', 'clients')
    ? html`<p><a ${address('href', link(at`/directories/${part('provider_id')}/agents`))}>${messages.agents.title}</a></p>`
    : undefined

function suspensionNotice(provider: JsonObject, visit: Visit): Fragment | undefined {
  const since = suspendedAt(provider)
  if (since === undefined) return undefined
  const { messages, caller, part } = visit
  const release = {
    path: `${at`/directories/${part('provider_id')}/release`}?version=${textOf(provider['version'])}`,
    question: () => messages.directories.release,
    isDangerous: true,
  }
  return html`<div class="notice">
<p>${fill(messages.directories.suspendedSince, { date: time(since, messages) })}</p>
${caller.can('write', 'providers') ? html`<div class="buttons">${actionLink(visit, release)}</div>` : undefined}
</div>`
}

function directoryFacts(provider: JsonObject, { messages }: Visit): Fragment {
  const { labels } = messages
  return facts([
    [labels.identifier, code(textOf(provider['provider_id']))],
    [labels.state, directoryState(provider, messages)],
    [labels.tenantUrl, code(textOf(provider['tenant_url']))],
    [labels.toleranceProfile, code(textOf(provider['tolerance_profile']))],
    [labels.verifiedDomains, textsOf(provider['verified_domains']).join(', ') || messages.empty],
    [labels.created, time(provider['created_at'], messages)],
  ])
}

/** Says until when the customer's IT has a link, with the buttons for those who may create one. */
function setupLink(provider: JsonObject, visit: Visit): Fragment {
  const { messages, caller, part } = visit
  const { createSetupLink, revokeSetupLink, setupLinkUntil } = messages.directories
  const expiresAt = recordOf(provider['setup_link'])['expires_at']
  const path = at`/directories/${part('provider_id')}`
  const create = { path: `${path}/create-setup-link`, question: () => createSetupLink, isDangerous: false }
  const revoke = { path: `${path}/revoke-setup-link`, question: () => revokeSetupLink, isDangerous: true }
  return html`${expiresAt === undefined ? undefined : html`<p>${fill(setupLinkUntil, { date: time(expiresAt, messages) })}</p>`}
${
  caller.can('write', 'providers')
    ? html`<div class="buttons">${actionLink(visit, create)}${expiresAt === undefined ? undefined : actionLink(visit, revoke)}</div>`
    : undefined
}`
}

/** The instructions of the API are English. */
const setupText = (setup: JsonObject, { messages }: Visit): Fragment => html`<details>
<summary>${fill(messages.directories.setUp, { product: html`${setup['product'] === 'okta' ? 'Okta' : 'Microsoft Entra ID'}` })}</summary>
<pre tabindex="0" lang="en" dir="ltr">${textOf(setup['text'])}</pre>
</details>`

/** Lists requests. The log contains no query and no body, because these contain personal data. */
function requestTable(found: JsonObject, visit: Visit): Fragment {
  const { messages } = visit
  const { labels, directories } = messages
  const rows = recordsOf(found['items']).map((entry) => {
    const detail = recordOf(entry['detail'])
    const status = textOf(detail['status'])
    const isRefused = (numberOf(detail['status']) ?? 0) >= 400
    return [
      time(entry['at'], messages),
      code(`${textOf(detail['method'])} ${textOf(detail['path'])}`),
      isRefused ? html`<span class="bad">${status}</span>` : status,
      code(refusalIn(detail)),
    ]
  })
  return tableSection(
    {
      title: directories.requests,
      id: 'requests',
      columns: [labels.time, labels.request, labels.outcome, labels.reason],
      rows,
      empty: directories.noRequests,
    },
    visit,
    pageLinks(visit, textOf(found['next'])),
  )
}
