import { address, attribute, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { actionLink, actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { clientNames } from '../clients/client-names.ts'
import { changeStatus } from '../elements/notice.ts'
import { code, pageLinks, table } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'

const states = ['dead', 'pending', 'delivered'] as const

/** Lists messages to clients in one state: those that were abandoned, unless another state is chosen. */
export const deliveriesPage: Page = async (visit) => {
  const { request, api, messages } = visit
  const state = states.find((each) => each === request.url.searchParams.get('state')) ?? 'dead'
  const found = await api.get('/deliveries', {
    state,
    limit: '50',
    after: request.url.searchParams.get('after') ?? undefined,
  })
  const deliveries = recordsOf(found['items'])
  const nameOf = await clientNames(
    visit,
    deliveries.map(({ client_id: client }) => textOf(client)),
  )
  const mayRequeue = state === 'dead' && visit.caller.can('write', 'deliveries')
  const { labels, sections } = messages
  return visit.show({
    title: sections.deliveries,
    section: 'deliveries',
    body: html`${head(sections.deliveries)}
${changeStatus(visit)}
<p>${messages.deliveries.intro}</p>
${stateLinks(state, visit)}
<section>
${table(
  {
    title: `${sections.deliveries}: ${messages.states[state]}`,
    id: 'deliveries',
    columns: [
      labels.client,
      labels.message,
      labels.created,
      labels.attempts,
      state === 'pending' ? labels.due : labels.reason,
      ...(mayRequeue ? [labels.action] : []),
    ],
    rows: deliveries.map((delivery) => {
      const name = nameOf(textOf(delivery['client_id']))
      return [...deliveryCells(delivery, name, visit), ...(mayRequeue ? [requeueLink(delivery, name, visit)] : [])]
    }),
  },
  visit,
)}
${pageLinks(visit, textOf(found['next']))}
</section>`,
  })
}

const stateLinks = (current: string, { link, messages }: Visit) =>
  html`<div class="buttons">${states.map(
    (state) =>
      html`<a class="button" ${address('href', link(`/deliveries?state=${state}`))} ${attribute('aria-current', state === current ? 'true' : undefined)}>${messages.states[state]}</a>`,
  )}</div>`

const deliveryCells = (delivery: JsonObject, name: string, { messages }: Visit) => [
  name,
  code(textOf(delivery['channel'])),
  time(delivery['created_at'], messages),
  textOf(delivery['attempts']),
  delivery['due_at'] === undefined ? code(textOf(delivery['last_failure'])) : time(delivery['due_at'], messages),
]

const requeueLink = (delivery: JsonObject, object: string, visit: Visit) =>
  actionLink(visit, {
    path: `${at`/deliveries/${textOf(delivery['delivery_id'])}/requeue`}?client=${encodeURIComponent(textOf(delivery['client_id']))}`,
    question: ({ deliveries }) => deliveries.requeue,
    isDangerous: false,
    object,
  })

/** Sends an abandoned message again. */
export const requeueAction = actionRoute({
  path: '/deliveries/{delivery_id}/requeue',
  area: 'deliveries',
  section: 'deliveries',
  isDangerous: false,
  question: ({ deliveries }) => deliveries.requeue,
  nameOf: async (visit) => {
    const client = visit.request.url.searchParams.get('client') ?? ''
    return (await clientNames(visit, [client]))(client)
  },
  call: ({ part }) => ({ method: 'POST', path: at`/deliveries/${part('delivery_id')}/requeue` }),
  leadsTo: () => '/deliveries',
})
