import { address, type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { field } from '../elements/field.ts'
import { code, pageLinks, table } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { recordOf, recordsOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { auditFilter, type AuditFilter } from './audit-filter.ts'

/** Lists the actions of administrators, newest first. */
export const auditPage: Page = async (visit) => {
  const { request, api, messages, link } = visit
  const { audit, sections, labels } = messages
  const filter = auditFilter(request)
  const found = await api.get('/audit', {
    ...filter,
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  const download = new URL(link('/audit.csv'))
  download.search = request.url.search
  download.searchParams.delete('after')
  return visit.show({
    title: sections.audit,
    section: 'audit',
    body: html`${head(sections.audit, html`<a class="button" ${address('href', download.href)}>${audit.download}</a>`)}
<p>${audit.intro}</p>
${filterForm(filter, visit)}
<section>
${table(
  {
    title: sections.audit,
    id: 'audit',
    columns: [labels.time, labels.action, labels.target, labels.actor, labels.stage, labels.reason],
    rows: recordsOf(found['items']).map((entry) => auditRow(entry, visit)),
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>`,
  })
}

function filterForm({ type, target, actor }: AuditFilter, { link, messages }: Visit): Fragment {
  const { labels, audit, buttons } = messages
  return html`<form class="search" method="get" ${address('action', link('/audit'))} role="search">
${field({ name: 'type', label: labels.action, value: type ?? '' })}
${field({ name: 'target', label: labels.target, value: target ?? '' })}
${field({ name: 'actor', label: labels.actor, value: actor ?? '' })}
<button type="submit">${buttons.filter}</button>
</form>
<p class="fine">${audit.filterHint}</p>`
}

function auditRow(entry: JsonObject, visit: Visit) {
  const detail = recordOf(entry['detail'])
  const stage = textOf(detail['stage'])
  return [
    time(entry['at'], visit.messages),
    code(textOf(entry['type'])),
    targetLink(recordOf(detail['target']), visit),
    code(textOf(recordOf(detail['actor'])['id'])),
    stageText(stage, visit),
    code(textOf(detail['reason'])),
  ]
}

function stageText(stage: string, { messages }: Visit): Fragment {
  const { stages } = messages.audit
  if (stage === 'refused' || stage === 'failed') return html`<span class="bad">${stages[stage]}</span>`
  return html`${stage === 'intended' ? stages.intended : stage === 'done' ? stages.done : stage}`
}

/** Links to the record, if the administrator may see it. It may have been removed. */
function targetLink(target: JsonObject, { caller, link }: Visit): Fragment {
  const id = textOf(target['id'])
  const page = pages.find(([kind]) => kind === target['kind'])
  if (page === undefined || !caller.can('read', page[1])) return code(id)
  return html`<a ${address('href', link(`${page[2]}${at`/${id}`}`))}>${code(id)}</a>`
}

const pages = [
  ['client', 'clients', '/clients'],
  ['user', 'users', '/users'],
  ['provider', 'providers', '/directories'],
  ['organization', 'organizations', '/organizations'],
] as const
