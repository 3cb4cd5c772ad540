import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { initial, renderName, renderText } from './client-display.ts'
import { type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'
import { accessLists, type RequestedAccess } from './requested-access.ts'

/** What the page shows: the question, or what became of the request. */
type ApprovalPageInput = Look & (ApprovalQuestion | ApprovalOutcome)

interface ApprovalQuestion {
  readonly kind: 'ask'
  /** The result of `server.approval`. */
  readonly pending: RequestedAccess & {
    readonly client: ApprovalClient
    readonly bindingMessage?: string | undefined
    readonly askedFrom?: string | undefined
  }
  /** The name under which the user knows the account. */
  readonly accountName?: string | undefined
}

type ApprovalOutcome =
  { readonly kind: 'approved' | 'denied' | 'ended'; readonly client: ApprovalClient } | { readonly kind: 'ended' }

interface ApprovalClient {
  readonly clientName: string
  /** Shown instead of a name that nobody has verified. */
  readonly unverifiedHost?: string | undefined
}

/**
 * Renders the page on which a user approves or denies what a client asks for, such as an agent (CIBA Core 1.0 §7.1), and what
 * became of it. The form posts to the address of the page, for `readConsentForm`. Require a request of the same origin before
 * you read it.
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function approvalPage(content: ApprovalPageInput, request?: RequestHead): ServerResponse {
  const messages = messagesFor(content, request)
  return content.kind === 'ask' ? questionPage(content, messages) : outcomePage(content, messages)
}

function questionPage({ pending, accountName, brand }: Look & ApprovalQuestion, messages: Messages): ServerResponse {
  const { approval, consent, device } = messages
  const { client, bindingMessage, askedFrom } = pending
  const { unverifiedHost, clientName } = client
  const letter = initial(unverifiedHost ?? clientName)
  // Deny is the form's first button, because Enter presses the first button and must not approve anything.
  const body = html`<header>
${letter && html`<span class="tile" aria-hidden="true">${letter}</span>`}
<h1>${fill(approval.heading, { client: nameOf(client, messages) })}</h1>
${unverifiedHost && html`<p>${fill(consent.unverified, { host: nameOf(client, messages), client: renderName(clientName, messages.unnamedClient, 40) })}</p>`}
${accountName && html`<p>${fill(consent.signedInAs, { account: renderText(accountName) })}</p>`}
${
  bindingMessage &&
  html`<p>${approval.message}</p>
<p><strong>${renderName(bindingMessage, '…')}</strong></p>`
}
${askedFrom && html`<p>${fill(device.askedFrom, { place: renderName(askedFrom, '…') })}</p>`}
</header>
<form method="post">
${accessLists(pending, consent)}
<p><strong>${approval.warning}</strong></p>
<div class="choice">
<button type="submit" name="decision" value="deny" formnovalidate>${icon('cross')}${consent.deny}</button>
<button class="primary" type="submit" name="decision" value="allow">${icon('check')}${consent.allow}</button>
</div>
</form>`
  return page({ brand, messages, title: approval.title, status: 200, formAction: 'self', body })
}

function outcomePage(content: Look & ApprovalOutcome, messages: Messages): ServerResponse {
  const { title, text } = messages.approval[content.kind]
  const isEnded = content.kind === 'ended'
  const body = html`<header>
<span class="tile">${icon(content.kind === 'approved' ? 'check' : 'cross')}</span>
<h1>${title}</h1>
<p>${isEnded ? text : fill(text, { client: nameOf(content.client, messages) })}</p>
</header>`
  // RFC 9110 §15.5.5: nothing can be decided at this address any more.
  return page({ brand: content.brand, messages, title, status: isEnded ? 404 : 200, formAction: 'none', body })
}

const nameOf = ({ unverifiedHost, clientName }: ApprovalClient, { unnamedClient }: Messages): Fragment =>
  renderName(unverifiedHost ?? clientName, unnamedClient)
