import { address, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { enabledState } from '../clients/clients-page.ts'
import { code, pageLinks, table } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import type { Messages } from '../languages/messages.ts'
import { recordOf, recordsOf, textOf } from '../values.ts'
import type { Page } from '../visit.ts'

/** Lists the directories: identity providers that provision users through SCIM. */
export const directoriesPage: Page = async (visit) => {
  const { request, api, messages, link, caller } = visit
  const { labels, sections, directories } = messages
  const found = await api.get('/identity-providers', {
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  const rows = recordsOf(found['items']).map((provider) => [
    html`<a ${address('href', link(at`/directories/${textOf(provider['provider_id'])}`))}>${renderName(directoryName(provider), messages.unnamed)}</a>`,
    code(textOf(provider['provider_id'])),
    directoryState(provider, messages),
    time(provider['created_at'], messages),
  ])
  return visit.show({
    title: sections.directories,
    section: 'directories',
    body: html`${head(
      sections.directories,
      caller.can('write', 'providers')
        ? html`<a class="button primary" ${address('href', link('/new-directory'))}>${directories.add}</a>`
        : undefined,
    )}
<section>
${table(
  {
    title: sections.directories,
    id: 'directories',
    columns: [labels.name, labels.identifier, labels.state, labels.created],
    rows,
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>`,
  })
}

export const directoryName = (provider: JsonObject): string =>
  textOf(provider['display_name']) || textOf(provider['provider_id'])

/** When the directory reached its limit of deactivations; undefined if it may deactivate users. */
export const suspendedAt = (provider: JsonObject) => recordOf(provider['deprovisioning'])['suspended_at']

export function directoryState(provider: JsonObject, messages: Messages): Fragment {
  const isSuspended = provider['disabled_at'] === undefined && suspendedAt(provider) !== undefined
  return isSuspended ? html`<span class="bad">${messages.states.suspended}</span>` : enabledState(provider, messages)
}
