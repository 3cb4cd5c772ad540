import { address, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { code, pageLinks, table } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import type { Messages } from '../languages/messages.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Page } from '../visit.ts'

/** Lists the clients. */
export const clientsPage: Page = async (visit) => {
  const { request, api, messages, link, caller } = visit
  const { labels, sections, clients } = messages
  const found = await api.get('/clients', { limit: '50', after: request.url.searchParams.get('after') ?? undefined })
  const rows = recordsOf(found['items']).map((client) => [
    html`<a ${address('href', link(at`/clients/${textOf(client['client_id'])}`))}>${renderName(textOf(client['client_name']), messages.unnamed)}</a>`,
    code(textOf(client['client_id'])),
    code(textOf(client['token_endpoint_auth_method'])),
    enabledState(client, messages),
    time(client['created_at'], messages),
  ])
  return visit.show({
    title: sections.clients,
    section: 'clients',
    body: html`${head(
      sections.clients,
      caller.can('write', 'clients')
        ? html`<a class="button primary" ${address('href', link('/new-client'))}>${clients.add}</a>`
        : undefined,
    )}
<section>
${table(
  {
    title: sections.clients,
    id: 'clients',
    columns: [labels.name, labels.identifier, labels.authentication, labels.state, labels.created],
    rows,
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>`,
  })
}

/** Says whether a client or a directory is enabled. */
export const enabledState = (record: JsonObject, { states }: Messages): Fragment =>
  record['disabled_at'] === undefined ? html`${states.enabled}` : html`<span class="bad">${states.disabled}</span>`
