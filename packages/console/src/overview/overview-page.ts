import { systemClock } from '@mintmark/internal'
import { address, fill, type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { suspendedAt } from '../directories/directories-page.ts'
import { count } from '../elements/time.ts'
import { head } from '../layout.ts'
import { numberOf, recordOf, recordsOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { barChart, type Bar } from './bar-chart.ts'

/** The first page: what needs attention, how many records there are, and what administrators did. */
export const overviewPage: Page = async (visit) => {
  const { messages, caller } = visit
  const [users, clients, directories, dead, actions] = await Promise.all([
    caller.can('read', 'users') ? visit.api.get('/users', { limit: '1' }) : undefined,
    caller.can('read', 'clients') ? visit.api.get('/clients', { limit: '200' }) : undefined,
    caller.can('read', 'providers') ? visit.api.get('/identity-providers', { limit: '200' }) : undefined,
    caller.can('read', 'deliveries') ? visit.api.get('/deliveries', { limit: '200' }) : undefined,
    caller.can('read', 'audit') ? actionsPerDay(visit) : undefined,
  ])
  const figures = [
    users && figure(visit, 'users', count(numberOf(users['total']) ?? 0, messages)),
    clients && figure(visit, 'clients', countOf(clients, visit)),
    directories && figure(visit, 'directories', countOf(directories, visit)),
  ]
  return visit.show({
    title: messages.sections.overview,
    section: 'overview',
    body: html`${head(messages.sections.overview)}
${attention({ dead, directories }, visit)}
<ul class="figures">${figures.filter((each) => each !== undefined)}</ul>
${actions && chart(actions, visit)}`,
  })
}

const figure = ({ link, messages }: Visit, section: 'users' | 'clients' | 'directories', number: Fragment): Fragment =>
  html`<li><strong>${number}</strong><a ${address('href', link(`/${section}`))}>${messages.sections[section]}</a></li>`

/** The API counts users only. Of other records, one page is counted. */
function countOf(list: JsonObject, { messages }: Visit): Fragment {
  const listed = count(recordsOf(list['items']).length, messages)
  return list['next'] === undefined ? listed : fill(messages.overview.atLeast, { count: listed })
}

interface Attention {
  readonly dead: JsonObject | undefined
  readonly directories: JsonObject | undefined
}

function attention({ dead, directories }: Attention, visit: Visit): Fragment {
  const { messages, link } = visit
  const { overview } = messages
  const suspended = recordsOf(directories?.['items']).filter((provider) => suspendedAt(provider) !== undefined)
  const items = [
    ...(dead !== undefined && recordsOf(dead['items']).length > 0
      ? [[link('/deliveries'), fill(overview.deadDeliveries, { count: countOf(dead, visit) })] as const]
      : []),
    ...(suspended.length > 0
      ? [[link('/directories'), fill(overview.suspendedDirectories, { count: html`${suspended.length}` })] as const]
      : []),
  ]
  return html`<section aria-labelledby="attention">
<h2 id="attention">${overview.attention}</h2>
${
  items.length === 0
    ? html`<p>${overview.nothing}</p>`
    : html`<ul>${items.map(([url, text]) => html`<li class="bad"><a ${address('href', url)}>${text}</a></li>`)}</ul>`
}
</section>`
}

function chart(bars: readonly Bar[], { messages }: Visit): Fragment {
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  return html`<section aria-labelledby="actions">
<h2 id="actions">${messages.overview.actionsPerDay}</h2>
<p>${fill(messages.overview.chart, { count: count(total, messages) })}</p>
${total === 0 ? undefined : barChart(messages.overview.actionsPerDay, bars)}
</section>`
}

/** Counts the actions that were carried out, for each of the last days in UTC. */
async function actionsPerDay({ api, messages }: Visit): Promise<readonly Bar[]> {
  const today = Math.floor(systemClock() / day)
  const counts = new Map<number, number>()
  let after: string | undefined
  for (let read = 0; read < maximumPages; read += 1) {
    const found = await api.get('/audit', { limit: '200', after })
    const entries = recordsOf(found['items'])
    for (const entry of entries) {
      if (recordOf(entry['detail'])['stage'] !== 'done') continue
      const on = Math.floor((numberOf(entry['at']) ?? 0) / day)
      counts.set(on, (counts.get(on) ?? 0) + 1)
    }
    after = textOf(found['next']) || undefined
    const oldest = numberOf(entries.at(-1)?.['at']) ?? 0
    if (after === undefined || oldest < (today - days) * day) break
  }
  const format = new Intl.DateTimeFormat(messages.lang, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return Array.from({ length: days }, (_, index) => {
    const on = today - days + 1 + index
    return { label: format.format(new Date(on * day * 1000)), value: counts.get(on) ?? 0 }
  })
}

const days = 14

/** In seconds. */
const day = 86_400

/** Of 200 entries each. With more actions, the first bars are too low. */
const maximumPages = 10
