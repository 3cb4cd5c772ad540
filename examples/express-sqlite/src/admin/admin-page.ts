import { AdminError, type Actor, type Administration, type ClientView } from '@mintmark/admin'
import { decodeBody, mediaType, parseParameters, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import { after, epochSeconds, seconds, type EpochSeconds } from '@mintmark/storage-interface'

import { htmlDocument, htmlResponse, html, type Markup } from '../site/html.ts'

/** A page, or the handler of its forms. It needs an `Administration`, which only `forAdministrators` passes to it. */
export type AdminPage = (visit: AdminVisit) => Promise<ServerResponse>

/** An administrator's request. */
interface AdminVisit {
  readonly request: ServerRequest
  /** Acts in the administrator's name. */
  readonly admin: Administration
  readonly actor: Actor
}

/** The sections of the console: path, name and description. */
export const adminSections = [
  ['/admin/clients', 'Clients', 'The apps that users sign in to: disable a client, or rotate its secret.'],
  ['/admin/providers', 'Identity providers', 'Directories that provision accounts: their settings and their requests.'],
  ['/admin/accounts', 'Accounts', 'Users: search, deactivate, and revoke their grants.'],
  ['/admin/events', 'Events', 'Actions of administrators, and events since the start.'],
] as const

/** The content of a page. */
interface AdminContent {
  readonly title: string
  /** The section that it belongs to. */
  readonly section: (typeof adminSections)[number][0] | undefined
  readonly intro: Markup
  readonly body: Markup
  readonly status?: number
}

export const adminResponse = ({ title, section, intro, body, status = 200 }: AdminContent): ServerResponse =>
  htmlResponse(
    htmlDocument(
      `${title} · Administration`,
      html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>${title}</h1>
<p>${intro}</p>
</header>
<nav aria-label="Administration"><ul>${adminSections.map(
        ([path, name]) => html`<li><a href="${path}"${path === section ? ariaCurrent : undefined}>${name}</a></li>`,
      )}</ul></nav>
${body}`,
    ),
    status,
  )

const ariaCurrent = html` aria-current="true"`

/** Returns the address of a record's page. It contains the record's identifier, and never a secret. */
export const addressOf = (path: string, id: string): string => `${path}?${new URLSearchParams({ id }).toString()}`

/** Returns the identifier of the record; an empty string if the address contains none. */
export const recordIdOf = ({ url }: ServerRequest): string => url.searchParams.get('id') ?? ''

/** Returns the page of a list that the address selects. */
export const pageRequestOf = ({ url }: ServerRequest) => ({
  limit: 50,
  after: url.searchParams.get('after') ?? undefined,
})

/** Returns the link to the next page of a list; undefined on the last page. */
export function nextLink({ url }: ServerRequest, next: string | undefined): Markup | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams(url.searchParams)
  query.set('after', next)
  return html`<p class="actions"><a rel="next" href="${url.pathname}?${query.toString()}">Next page</a></p>`
}

/** A row of a list: the name of a record, the address of its page, and its state. */
interface RecordRow {
  readonly address: string
  readonly name: string
  readonly state: string
}

export const recordTable = (records: readonly RecordRow[]): Markup => html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">State</th></tr></thead>
<tbody>${records.map(
  ({ address, name, state }) => html`<tr><td><a href="${address}">${name}</a></td><td>${state}</td></tr>`,
)}</tbody>
</table>`

/** A button that changes the record of the page. */
interface ActionButton {
  readonly action: string
  readonly label: string
}

/** Returns a form that posts to the address, with one button for each action; undefined without buttons. */
export function actionButtons(address: string, ...buttons: readonly (ActionButton | undefined)[]): Markup | undefined {
  const shown = buttons.filter((button) => button !== undefined)
  if (shown.length === 0) return undefined
  return html`<form class="actions" method="post" action="${address}">${shown.map(
    ({ action, label }) =>
      html`<button${dangerClass(action)} type="submit" name="act" value="${action}">${label}</button>`,
  )}</form>`
}

/** The actions that take something away: the button that confirms each, and what it does. */
export const dangerousActions: Readonly<Record<string, readonly [button: string, consequence: string]>> = {
  deactivate: ['Yes, deactivate', 'The user is signed out everywhere, and everything issued to the user is revoked.'],
  disable: [
    'Yes, disable',
    'Everything issued to it is refused, and nothing more is issued, until you enable it again.',
  ],
  'revoke-grant': ['Yes, revoke', 'The app loses its access, and asks the user for consent the next time.'],
  'revoke-grants': ['Yes, revoke all', 'All apps lose their access, and ask the user for consent the next time.'],
  'end-session': ['Yes, end it', 'The user is signed out of this browser and of the apps in it.'],
  'end-sessions': ['Yes, end all', 'The user is signed out of every browser and of the apps in it.'],
  'end-previous-secrets': ['Yes, revoke', 'The previous secret stops working at once.'],
}

/** Returns the class of a button that takes something away, which has a colour of its own. */
export const dangerClass = (action: string): Markup | undefined =>
  Object.hasOwn(dangerousActions, action) ? html` class="danger"` : undefined

/** Returns the button that disables or enables a record. */
export const disableButton = (disabledAt: number | undefined): ActionButton =>
  disabledAt === undefined ? { action: 'disable', label: 'Disable' } : { action: 'enable', label: 'Enable' }

/** The form that a button has submitted. */
export interface PostedAction {
  readonly action: string
  /** The identifier of an item of the record, such as a grant of a user; empty if the action is for the record itself. */
  readonly itemId: string
  /** Whether the administrator has confirmed an action that takes something away. */
  readonly isConfirmed: boolean
}

/**
 * Reads the form of a button.
 * @throws AdminError `media_type` | `body_invalid`.
 */
export function readPostedAction(request: ServerRequest): PostedAction {
  // RFC 9110 §15.5.16.
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw new AdminError('media_type', { detail: 'Use the buttons of the page.' })
  }
  const text = decodeBody(request.body)
  const fields = text === undefined ? undefined : parseParameters(text, maxFields)
  if (fields === undefined || 'malformed' in fields) throw unknownAction()

  const single = (name: string): string => {
    const [value, ...others] = fields.filter(([field]) => field === name)
    // A repeated field is ambiguous.
    if (others.length > 0) throw unknownAction()
    return value?.[1] ?? ''
  }
  return { action: single('act'), itemId: single('about'), isConfirmed: single('confirmed') === 'yes' }
}

/** Creates the error for a form that no button of the page submits (RFC 9110 §15.5.1). */
export const unknownAction = (): AdminError =>
  new AdminError('body_invalid', { detail: 'The page has no such button.' })

const maxFields = 8

/** Lists the times of each secret. The secrets themselves cannot be shown again. */
export const secretList = (secrets: ClientView['secrets']): Markup =>
  html`<ul class="entries">${secrets.map(
    ({ createdAt, expiresAt, lastUsedAt }) =>
      html`<li>Created ${formatTime(createdAt)}${expiresAt && html`, expires ${formatTime(expiresAt)}`}, ${
        lastUsedAt === undefined ? 'not used yet' : html`last used ${formatTime(lastUsedAt)}`
      }</li>`,
  )}</ul>`

interface NewSecret {
  readonly section: '/admin/clients' | '/admin/providers'
  /** The title, such as `Secret Token of Example Corp`. */
  readonly title: string
  readonly secret: string
  /** Where to paste the secret. */
  readonly advice: string
  /** The address of the next page. */
  readonly address: string
}

/** The only page that shows the secret. It is the response to the form, so no address and no cache contains the secret. */
export const secretPage = ({ section, title, secret, advice, address }: NewSecret): ServerResponse =>
  adminResponse({
    title,
    section,
    intro: html`The secret is shown only once, because only its hash is stored.`,
    body: html`<section aria-labelledby="secret">
<h2 id="secret">Copy it now</h2>
<pre id="new-secret" tabindex="0">${secret}</pre>
<p class="fine">${advice} The previous secret works for another hour.</p>
<p class="actions"><a href="${address}">Done</a></p>
</section>`,
  })

/** Returns the time at which the previous secrets expire: in an hour, which leaves time to paste the new secret. */
export const previousSecretsExpiry = (): EpochSeconds => after(epochSeconds(Date.now() / 1000), seconds(3600))

/** Formats a time to the minute. */
export function formatTime(at: EpochSeconds): Markup {
  const text = new Date(at * 1000).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}
