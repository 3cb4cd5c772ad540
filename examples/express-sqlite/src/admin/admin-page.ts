import { AdminError, type Actor, type Administration, type ClientView } from '@mintmark/admin'
import { decodeBody, mediaType, parseParameters, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import { after, epochSeconds, seconds, type EpochSeconds } from '@mintmark/storage-interface'

import { htmlDocument, htmlResponse, html, type Markup } from '../site/html.ts'

/** A page, or the handler of its forms. It receives an administration, so only administrators can reach it. */
export type AdminPage = (visit: AdminVisit) => Promise<ServerResponse>

/** An administrator's request. */
interface AdminVisit {
  readonly request: ServerRequest
  /** Performs actions in the administrator's name. */
  readonly admin: Administration
  readonly actor: Actor
}

/** The parts of the console, by address. */
export const adminParts = [
  ['/admin/clients', 'Clients', 'The apps that users sign in to: disable one, or give it another secret.'],
  [
    '/admin/providers',
    'Identity providers',
    'Directories that provision accounts: what to paste there, what they ask.',
  ],
  ['/admin/accounts', 'Accounts', 'Users: search, deactivate, and revoke their grants.'],
  ['/admin/events', 'Events', 'Actions of administrators, and events since the start.'],
] as const

/** The content of a page. */
interface AdminContent {
  readonly title: string
  /** The part that it belongs to. */
  readonly part: (typeof adminParts)[number][0] | undefined
  readonly intro: Markup
  readonly body: Markup
  readonly status?: number
}

export const adminResponse = ({ title, part, intro, body, status = 200 }: AdminContent): ServerResponse =>
  htmlResponse(
    htmlDocument(
      `${title} · Administration`,
      html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>${title}</h1>
<p>${intro}</p>
</header>
<nav aria-label="Administration"><ul>${adminParts.map(
        ([path, name]) => html`<li><a href="${path}"${path === part ? ariaCurrent : undefined}>${name}</a></li>`,
      )}</ul></nav>
${body}`,
    ),
    status,
  )

const ariaCurrent = html` aria-current="true"`

/** The address of the page of a record. Addresses contain identifiers, and never secrets. */
export const addressOf = (path: string, id: string): string => `${path}?${new URLSearchParams({ id }).toString()}`

/** The identifier of the record; empty when the address has none. */
export const subjectOf = ({ url }: ServerRequest): string => url.searchParams.get('id') ?? ''

/** The part of a list that the address selects. */
export const pageRequestOf = ({ url }: ServerRequest) => ({
  limit: 50,
  after: url.searchParams.get('after') ?? undefined,
})

/** The link to the next part of a list; undefined on the last part. */
export function nextLink({ url }: ServerRequest, next: string | undefined): Markup | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams(url.searchParams)
  query.set('after', next)
  return html`<p class="actions"><a rel="next" href="${url.pathname}?${query.toString()}">Next page</a></p>`
}

/** A row of a list: a record with a link and its state. */
interface Subject {
  readonly address: string
  readonly name: string
  readonly state: string
}

/** A list of records. */
export const subjectTable = (subjects: readonly Subject[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${subjects.map(
  ({ address, name, state }) => html`<tr><td><a href="${address}">${name}</a></td><td>${state}</td></tr>`,
)}</tbody>
</table>`

/** A button that changes the record of the page. */
interface ActButton {
  readonly act: string
  readonly label: string
}

/** A form with buttons, which posts to the address of the page; undefined without buttons. */
export function actButtons(address: string, ...buttons: readonly (ActButton | undefined)[]): Markup | undefined {
  const shown = buttons.filter((button) => button !== undefined)
  if (shown.length === 0) return undefined
  return html`<form class="actions" method="post" action="${address}">${shown.map(
    ({ act, label }) => html`<button type="submit" name="act" value="${act}">${label}</button>`,
  )}</form>`
}

/** The button that disables or enables a record. */
export const disableButton = (disabledAt: number | undefined): ActButton =>
  disabledAt === undefined ? { act: 'disable', label: 'Disable' } : { act: 'enable', label: 'Enable' }

/** The submitted form of a button. */
export interface PostedAct {
  readonly act: string
  /** The identifier of a part of the record, such as a grant of a user. */
  readonly about: string
}

/**
 * Reads the form of a button.
 * @throws AdminError `media_type` | `body_invalid`.
 */
export function readPostedAct(request: ServerRequest): PostedAct {
  // RFC 9110 §15.5.16.
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw new AdminError('media_type', { detail: 'Use the buttons of the page.' })
  }
  const text = decodeBody(request.body)
  const fields = text === undefined ? undefined : parseParameters(text, mostFields)
  if (fields === undefined || 'malformed' in fields) throw unknownAct()

  const single = (name: string): string => {
    const [value, ...others] = fields.filter(([field]) => field === name)
    // A repeated field is ambiguous.
    if (others.length > 0) throw unknownAct()
    return value?.[1] ?? ''
  }
  return { act: single('act'), about: single('about') }
}

/** The refusal of an unknown button (RFC 9110 §15.5.1). */
export const unknownAct = (): AdminError =>
  new AdminError('body_invalid', { detail: 'There is no such button on the page.' })

const mostFields = 8

/** A list of secrets with their times. The secrets themselves cannot be shown again. */
export const secretList = (secrets: ClientView['secrets']): Markup =>
  html`<ul class="entries">${secrets.map(
    ({ createdAt, expiresAt, lastUsedAt }) =>
      html`<li>Made ${shownTime(createdAt)}${expiresAt && html`, ends ${shownTime(expiresAt)}`}, ${
        lastUsedAt === undefined ? 'not used yet' : html`used ${shownTime(lastUsedAt)}`
      }</li>`,
  )}</ul>`

interface NewSecret {
  readonly part: '/admin/clients' | '/admin/providers'
  /** The title, such as `Secret Token of Example Corp`. */
  readonly title: string
  readonly secret: string
  /** Where to paste the secret. */
  readonly advice: string
  /** The address of the next page. */
  readonly address: string
}

/** The only page that shows the secret. It is the response to the form, so no address and no cache contains the secret. */
export const secretPage = ({ part, title, secret, advice, address }: NewSecret): ServerResponse =>
  adminResponse({
    title,
    part,
    intro: html`It is shown only once. Only its digest is stored.`,
    body: html`<section aria-labelledby="secret">
<h2 id="secret">Copy it now</h2>
<pre id="new-secret" tabindex="0">${secret}</pre>
<p class="fine">${advice} The one before it works for another hour.</p>
<p class="actions"><a href="${address}">Done</a></p>
</section>`,
  })

/** The time at which previous secrets expire, which leaves time to paste the new one. */
export const previousSecretsEnd = (): EpochSeconds => after(epochSeconds(Date.now() / 1000), seconds(3600))

/** A time, to the minute. */
export function shownTime(at: EpochSeconds): Markup {
  const text = new Date(at * 1000).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}
