import type { ServerResponse } from '@mintmark/core/http'
import { address, fill, type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { field } from '../elements/field.ts'
import { code, tableSection } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import { numberOf, refusalIn, textOf } from '../values.ts'
import { connectionState, type LastRequest } from './connection-state.ts'
import { problemOf } from './problems.ts'
import { askNote, type OpenedVisit } from './setup-visit.ts'

/** What a form has just done, for the top of the page. */
export interface Outcome {
  /** Whether the pasted text is a Secret Token that works; undefined if nothing was pasted. */
  readonly isSecret?: boolean | undefined
  /** Why nothing was changed. */
  readonly refusal?: string
  readonly status?: number
}

/** The page itself: everything about one directory. */
export async function setupPage(visit: OpenedVisit, outcome: Outcome = {}): Promise<ServerResponse> {
  const { setup, messages, show } = visit
  const { directory, expiresAt } = setup
  const [entra, okta, entries] = await Promise.all([setup.setup('entra'), setup.setup('okta'), setup.requests(20)])
  const requests = entries.map(({ at, detail }) => lastRequest(at, detail))
  const heading = fill(messages.heading, { name: renderName(directory.displayName, directory.providerId) })
  return show({
    title: messages.title,
    status: outcome.status ?? 200,
    body: html`${head(heading)}
${visit.request.url.searchParams.has('done') ? html`<p class="status" role="status">${messages.changeDone}</p>` : undefined}
${outcome.refusal && html`<div class="notice" role="alert"><p tabindex="-1" autofocus>${outcome.refusal}</p></div>`}
<p>${fill(messages.until, { date: time(expiresAt, messages) })}</p>
${stateSection(visit, requests[0], outcome)}
${valuesSection(visit)}
${secretsSection(visit)}
<section aria-labelledby="steps-title"><h2 id="steps-title">${messages.steps.title}</h2>
${steps('Microsoft Entra ID', entra.text, visit)}
${steps('Okta', okta.text, visit)}</section>
${mappingSection(visit)}
${requestsSection(visit, requests)}
<section aria-labelledby="finish-title"><h2 id="finish-title">${messages.finish.title}</h2>
<p>${messages.finish.text}</p>
${button(visit, { path: '/finish', label: messages.finish.button, style: 'danger' })}
${askNote(visit)}</section>`,
  })
}

const lastRequest = (at: number, detail: JsonObject): LastRequest => ({
  at,
  method: textOf(detail['method']),
  path: textOf(detail['path']),
  status: numberOf(detail['status']) ?? 0,
  reason: textOf(detail['reason']),
  refusal: refusalIn(detail),
})

/** What works and what does not, and the button that looks again. */
function stateSection(visit: OpenedVisit, last: LastRequest | undefined, { isSecret }: Outcome): Fragment {
  const { messages, link } = visit
  const { state, test } = messages
  const checked =
    isSecret === undefined ? [] : [[isSecret, html`${isSecret ? state.secretMatches : state.secretUnknown}`]]
  const lines = [...checked, ...connectionState(visit, last)] as readonly (readonly [boolean, Fragment])[]
  return html`<section aria-labelledby="state-title"><h2 id="state-title">${state.title}</h2>
<ul id="state">${lines.map(([isGood, text]) => (isGood ? html`<li>${text}</li>` : html`<li class="bad">${text}</li>`))}</ul>
<form method="post" ${address('action', link('/test'))}>
${field({ name: 'secret', label: test.label, hint: test.hint })}
<div class="buttons"><button class="primary" type="submit">${test.button}</button></div>
</form>
</section>`
}

const valuesSection = ({ messages: { values }, setup }: OpenedVisit): Fragment =>
  html`<section aria-labelledby="values-title"><h2 id="values-title">${values.title}</h2>
<p id="tenant-url-name">${values.tenantUrl}</p>
<pre id="tenant-url" tabindex="0" dir="ltr" role="group" aria-labelledby="tenant-url-name">${setup.directory.tenantUrl}</pre>
</section>`

/** The Secret Tokens by their times, because the tokens themselves cannot be shown. */
function secretsSection(visit: OpenedVisit): Fragment {
  const { messages, setup } = visit
  const { secrets } = messages
  const rows = setup.directory.secrets.map(({ createdAt, lastUsedAt, expiresAt }) =>
    [createdAt, lastUsedAt, expiresAt].map((at) => time(at, messages)),
  )
  const revoke = html`<p>${secrets.revokeHint}</p>
${button(visit, { path: '/revoke-previous', label: secrets.revoke, style: 'danger' })}`
  return tableSection(
    {
      title: secrets.title,
      id: 'secrets',
      columns: [secrets.created, secrets.lastUsed, secrets.expires],
      rows,
      empty: secrets.empty,
    },
    { messages: secrets },
    html`<p>${secrets.createHint}</p>
${button(visit, { path: '/secret', label: secrets.create, style: 'primary' })}
${rows.length > 1 ? revoke : undefined}`,
  )
}

/** The instructions are English, as the consoles of the products that they quote. */
const steps = (product: string, text: string, { messages }: OpenedVisit): Fragment => html`<details>
<summary>${fill(messages.steps.of, { product: html`${product}` })}</summary>
<pre tabindex="0" lang="en" dir="ltr">${text}</pre>
</details>`

function mappingSection({ messages: { mapping, secrets } }: OpenedVisit): Fragment {
  const { uses } = mapping
  const rows: readonly (readonly [string, string])[] = [
    ['externalId', uses.identity],
    ['userName', uses.username],
    ['displayName, name.givenName, name.familyName', uses.name],
    ['emails', uses.email],
    ['phoneNumbers', uses.phone],
    ['locale, timezone', uses.locale],
    ['active', uses.active],
    ['groups, members', uses.groups],
    ['title, department, manager, …', uses.rest],
  ]
  return tableSection(
    {
      title: mapping.title,
      id: 'mapping',
      columns: [mapping.attribute, mapping.use],
      rows: rows.map(([names, use]) => [code(names), use]),
    },
    { messages: secrets },
  )
}

/** The path of a request contains the identifiers of users here, and neither a query nor a body. */
function requestsSection({ messages }: OpenedVisit, requests: readonly LastRequest[]): Fragment {
  const { requests: texts, problems } = messages
  return tableSection(
    {
      title: texts.title,
      id: 'requests',
      columns: [texts.time, texts.request, texts.result],
      rows: requests.map(({ at, method, path, status, reason, refusal }) => [
        time(at, messages),
        code(`${method} ${path}`),
        status < 400
          ? html`${texts.done} (${status})`
          : html`<span class="bad">${problems[problemOf(status, reason)]}</span> ${code(`${status} ${refusal}`.trim())}`,
      ]),
      empty: texts.empty,
    },
    { messages: texts },
    html`<p class="fine">${texts.notListed}</p>`,
  )
}

interface Button {
  readonly path: string
  readonly label: string
  readonly style: 'primary' | 'danger'
}

const button = ({ link }: OpenedVisit, { path, label, style }: Button): Fragment =>
  html`<form method="post" ${address('action', link(path))}>
<div class="buttons"><button class="${style}" type="submit">${label}</button></div>
</form>`
