import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { renderClient, type ShownClient, renderText } from './client-display.ts'
import { address, type Fragment, hiddenFrame, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { originSource, icon, type Look, page } from './page.ts'

/** What the page shows. The server passes it to its option `logout.renderPage`. */
type LogoutPageInput = LogoutBasics & (ConfirmLogout | SignedOut | { readonly kind: 'signed_in' })

interface LogoutBasics extends Look {
  readonly status: number
  /** The error in the request, with the server's fixed English sentence. */
  readonly problem?: { readonly code: string; readonly description: string } | undefined
  readonly client?: ShownClient | undefined
}

interface ConfirmLogout {
  readonly kind: 'confirm'
  /** The address to which the form posts the fields. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly accountName?: string | undefined
  /** The clients that the user has signed in to in this session. */
  readonly apps?: readonly ShownClient[] | undefined
}

interface SignedOut {
  readonly kind: 'signed_out'
  /** The addresses that the page loads in frames (Front-Channel Logout §3). */
  readonly frames: readonly string[]
  readonly continueTo?: string | undefined
}

/**
 * Renders the pages of a logout: the question; the notice that the user is signed out, with the frames that notify the
 * clients; and the notice that the user is still signed in. Pass it to the server's option `logout.renderPage`.
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function logoutPage(content: LogoutPageInput, request?: RequestHead): ServerResponse {
  const messages = messagesFor(content, request)
  switch (content.kind) {
    case 'confirm':
      return confirmPage(content, messages)
    case 'signed_out':
      return signedOut(content, messages)
    case 'signed_in':
      return notice(content, messages, messages.stillSignedIn)
    default:
      return content satisfies never
  }
}

function confirmPage(content: LogoutBasics & ConfirmLogout, messages: Messages): ServerResponse {
  const { client, accountName, apps = [], action, fields, problem } = content
  const { logout } = messages
  const names = apps.map((app, at) => html`${at === 0 ? undefined : ', '}${renderClient(app, messages.unnamedClient)}`)
  // Staying is the form's first button, because Enter presses the first button and must not sign the user out.
  const body = html`<header>
<span class="tile">${icon('leave')}</span>
<h1>${logout.title}</h1>
${client && html`<p>${fill(logout.askedBy, { client: renderClient(client, messages.unnamedClient) })}</p>`}
${accountName && html`<p>${fill(logout.signedInAs, { account: renderText(accountName) })}</p>`}
${apps.length === 0 ? undefined : html`<p>${fill(messages.account.sessionApps, { names: html`${names}` })}</p>`}
</header>
${problemNotice(problem, messages)}
<form method="post" ${address('action', action)}>
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="choice long">
<button type="submit" name="decision" value="stay">${logout.stay}</button>
<button class="primary" type="submit" name="decision" value="sign_out">${icon('leave')}${logout.signOut}</button>
</div>
</form>`
  return page({
    brand: content.brand,
    messages,
    title: logout.title,
    status: content.status,
    formAction: 'leaves',
    body,
  })
}

/** Leaves out frames whose host a Content Security Policy cannot name. */
function signedOut(content: LogoutBasics & SignedOut, messages: Messages): ServerResponse {
  const frames = content.frames.filter((frame) => originSource(frame) !== undefined)
  const { continueTo } = content
  const rest = html`${continueTo && html`<p><a id="continue" ${address('href', continueTo)}>${messages.signedOut.goOn}</a></p>`}
${frames.map(hiddenFrame)}`
  return notice({ ...content, frames, rest }, messages, messages.signedOut)
}

/** Renders a page that says what has happened, followed by `rest`. */
function notice(
  content: LogoutBasics & {
    readonly frames?: readonly string[]
    readonly continueTo?: string | undefined
    readonly rest?: Fragment
  },
  messages: Messages,
  texts: { readonly title: string; readonly text: string },
): ServerResponse {
  const { status, problem, frames = [], continueTo, rest } = content
  const body = html`<header>
<span class="tile">${icon('leave')}</span>
<h1>${texts.title}</h1>
${continueTo === undefined ? html`<p>${texts.text}</p>` : undefined}
</header>
${problemNotice(problem, messages)}
${rest}`
  return page({
    brand: content.brand,
    messages,
    title: texts.title,
    status,
    formAction: 'none',
    frames,
    continueTo,
    body,
  })
}

const problemNotice = (problem: LogoutBasics['problem'], messages: Messages): Fragment | undefined =>
  problem &&
  html`<p lang="en" dir="ltr">${problem.description}</p>
<p class="fine">${messages.error.codeLabel}: <code>${problem.code}</code></p>`

/** Renders the page after a user has signed out at the host's own page, when there is no client to return to. */
export const signedOutPage = (look: Look = {}, request?: RequestHead): ServerResponse =>
  logoutPage({ ...look, kind: 'signed_out', status: 200, frames: [] }, request)
