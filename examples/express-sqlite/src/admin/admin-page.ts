import { AdminError, type Actor, type Administration, type ClientView } from '@mintmark/admin'
import { decodeBody, mediaType, parseParameters, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import { after, epochSeconds, seconds, type EpochSeconds } from '@mintmark/storage-interface'

import { htmlDocument, htmlResponse, html, type Markup } from '../site/html.ts'

/** A page, or what its forms do. It is handed the administration, so nobody gets to it who may not administer. */
export type AdminPage = (visit: AdminVisit) => Promise<ServerResponse>

/** An administrator's request. */
interface AdminVisit {
  readonly request: ServerRequest
  /** Acts in the administrator's name. */
  readonly admin: Administration
  readonly actor: Actor
}

/** The parts of the area, by address. */
export const adminParts = [
  ['/admin/clients', 'Clients', 'The apps that users sign in to: disable one, or give it another secret.'],
  [
    '/admin/providers',
    'Identity providers',
    'Directories that provision accounts: what to paste there, what they ask.',
  ],
  ['/admin/accounts', 'Accounts', 'Whoever can sign in: search, deactivate, and end what an app was allowed.'],
  ['/admin/events', 'Events', 'What administrators did, and what happened since the start.'],
] as const

/** What a page of the area consists of. */
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

/** The address of a page about something. Identifiers are in addresses; secrets never are. */
export const addressOf = (path: string, id: string): string => `${path}?${new URLSearchParams({ id }).toString()}`

/** What the page is about; empty when the address does not say. */
export const subjectOf = ({ url }: ServerRequest): string => url.searchParams.get('id') ?? ''

/** Which part of a list the address asks for. */
export const pageRequestOf = ({ url }: ServerRequest) => ({
  limit: 50,
  after: url.searchParams.get('after') ?? undefined,
})

/** The link to the part of a list after this one; nothing on the last. */
export function nextLink({ url }: ServerRequest, next: string | undefined): Markup | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams(url.searchParams)
  query.set('after', next)
  return html`<p class="actions"><a rel="next" href="${url.pathname}?${query.toString()}">Next page</a></p>`
}

/** What one can go to from a list: a name that leads there, and how it stands. */
interface Subject {
  readonly address: string
  readonly name: string
  readonly state: string
}

/** A list of what is administered. */
export const subjectTable = (subjects: readonly Subject[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${subjects.map(
  ({ address, name, state }) => html`<tr><td><a href="${address}">${name}</a></td><td>${state}</td></tr>`,
)}</tbody>
</table>`

/** A button that does something to what the page is about. */
interface ActButton {
  readonly act: string
  readonly label: string
}

/** Buttons in one form, which is posted to the page's own address; nothing when there are none. */
export function actButtons(address: string, ...buttons: readonly (ActButton | undefined)[]): Markup | undefined {
  const shown = buttons.filter((button) => button !== undefined)
  if (shown.length === 0) return undefined
  return html`<form class="actions" method="post" action="${address}">${shown.map(
    ({ act, label }) => html`<button type="submit" name="act" value="${act}">${label}</button>`,
  )}</form>`
}

/** What ends the use of something that is in use, and takes it up again. */
export const disableButton = (disabledAt: number | undefined): ActButton =>
  disabledAt === undefined ? { act: 'disable', label: 'Disable' } : { act: 'enable', label: 'Enable' }

/** What a button of the area asks for. */
export interface PostedAct {
  readonly act: string
  /** What of the page's subject it is about, such as one of an account's grants. */
  readonly about: string
}

/**
 * Reads the form that a button of the area sends.
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
    // Nobody knows which one of several was meant.
    if (others.length > 0) throw unknownAct()
    return value?.[1] ?? ''
  }
  return { act: single('act'), about: single('about') }
}

/** The refusal of what no button asks for (RFC 9110 §15.5.1). */
export const unknownAct = (): AdminError =>
  new AdminError('body_invalid', { detail: 'There is no such button on the page.' })

const mostFields = 8

/** The secrets there are: their times, which is all that anybody knows of them. */
export const secretList = (secrets: ClientView['secrets']): Markup =>
  html`<ul class="entries">${secrets.map(
    ({ createdAt, expiresAt, lastUsedAt }) =>
      html`<li>Made ${shownTime(createdAt)}${expiresAt && html`, ends ${shownTime(expiresAt)}`}, ${
        lastUsedAt === undefined ? 'not used yet' : html`used ${shownTime(lastUsedAt)}`
      }</li>`,
  )}</ul>`

interface NewSecret {
  readonly part: '/admin/clients' | '/admin/providers'
  /** What it is, such as `Secret Token of Example Corp`. */
  readonly title: string
  readonly secret: string
  /** Where it is to be pasted. */
  readonly advice: string
  /** Where to go on. */
  readonly address: string
}

/** The only page that ever shows the secret, the answer to the form itself: no address has it, no cache may keep it. */
export const secretPage = ({ part, title, secret, advice, address }: NewSecret): ServerResponse =>
  adminResponse({
    title,
    part,
    intro: html`This is the only time that anybody sees it. OAuthStorage keeps its digest alone.`,
    body: html`<section aria-labelledby="secret">
<h2 id="secret">Copy it now</h2>
<pre id="new-secret" tabindex="0">${secret}</pre>
<p class="fine">${advice} The one before it works for another hour.</p>
<p class="actions"><a href="${address}">Done</a></p>
</section>`,
  })

/** When the secrets before a new one end: time to paste it. */
export const previousSecretsEnd = (): EpochSeconds => after(epochSeconds(Date.now() / 1000), seconds(3600))

/** A moment, to the minute. */
export function shownTime(at: EpochSeconds): Markup {
  const text = new Date(at * 1000).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}
