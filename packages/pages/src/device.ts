import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { renderName } from './client-display.ts'
import { address, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'

/** What the page shows. The server passes it to its option `device.renderPage`. */
type DevicePageInput = Look & { readonly status: number } & (EnterCode | ConfirmDevice | DeviceDecided)

interface EnterCode {
  readonly kind: 'enter'
  /** The address to which the form sends the field `user_code`, with GET. */
  readonly action: string
  readonly problem?: 'unknown' | 'throttled' | undefined
}

interface ConfirmDevice {
  readonly kind: 'confirm'
  /** The address to which the form posts the fields. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly userCode: string
  readonly client: DeviceClient
  readonly scopes: readonly { readonly name: string; readonly description: string }[]
  /** Where the request came from. */
  readonly askedFrom?: string | undefined
}

interface DeviceDecided {
  readonly kind: 'approved' | 'denied'
  readonly client: DeviceClient
}

interface DeviceClient {
  readonly clientName: string
  /** Shown instead of a name that nobody has verified. */
  readonly unverifiedHost?: string | undefined
}

/**
 * Renders the pages on which a user approves a request of a device (RFC 8628 §3.3): the field for the code; the question
 * whether the code is on the device in front of the user; and the notice that the user can return to the device. Pass it
 * to the server's option `device.renderPage`.
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function devicePage(content: DevicePageInput, request?: RequestHead): ServerResponse {
  const messages = messagesFor(content, request)
  switch (content.kind) {
    case 'enter':
      return enterPage(content, messages)
    case 'confirm':
      return confirmPage(content, messages)
    case 'approved':
    case 'denied':
      return decidedPage(content, messages)
    default:
      return content satisfies never
  }
}

function enterPage(content: Extract<DevicePageInput, EnterCode>, messages: Messages): ServerResponse {
  const { device, signIn } = messages
  const { problem } = content
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${device.enterTitle}</h1>
<p>${device.enterText}</p>
</header>
${problem && problemNotice(device.problems[problem], signIn.errorTitle)}
<form method="get" ${address('action', content.action)}>
<div class="field">
<label for="user-code">${device.code}</label>
<input id="user-code" name="user_code" dir="ltr" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="64">
</div>
<button class="primary" type="submit">${device.submit}</button>
</form>`
  const title = problem === undefined ? device.enterTitle : `${signIn.errorTitle} – ${device.enterTitle}`
  return page({ brand: content.brand, messages, title, status: content.status, formAction: 'self', body })
}

/** Puts the focus on its heading, so that users of a keyboard or a screen reader begin with the problem. */
const problemNotice = (text: string, title: string): Fragment => html`<div class="notice" role="alert">
<h2 tabindex="-1" autofocus>${icon('exclamation')}${title}</h2>
<p>${text}</p>
</div>`

function confirmPage(content: Extract<DevicePageInput, ConfirmDevice>, messages: Messages): ServerResponse {
  const { device, consent } = messages
  const { scopes, askedFrom, fields, userCode } = content
  // Stopping is the form's first button, because Enter presses the first button and must not connect a stranger's device.
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${device.confirmTitle}</h1>
<p>${fill(device.confirmText, { client: nameOf(content.client, messages) })}</p>
<p><strong><bdi dir="ltr"><code>${userCode}</code></bdi></strong></p>
${askedFrom && html`<p>${fill(device.askedFrom, { place: renderName(askedFrom, '…') })}</p>`}
</header>
<form method="post" ${address('action', content.action)}>
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${
  scopes.length > 0
    ? html`<p>${device.scopesLegend}</p>
<ul>${scopes.map(({ name, description }) => html`<li>${consent.scopes[name] ?? description}</li>`)}</ul>`
    : undefined
}
<p><strong>${device.warning}</strong></p>
<div class="choice">
<button type="submit" name="decision" value="stop">${icon('cross')}${device.stop}</button>
<button class="primary" type="submit" name="decision" value="continue">${icon('check')}${device.goOn}</button>
</div>
</form>`
  const { brand, status } = content
  return page({ brand, messages, title: device.confirmTitle, status, formAction: 'leaves', body })
}

function decidedPage(content: Extract<DevicePageInput, DeviceDecided>, messages: Messages): ServerResponse {
  const { title, text } = messages.device[content.kind]
  const body = html`<header>
<span class="tile">${icon(content.kind === 'approved' ? 'check' : 'cross')}</span>
<h1>${title}</h1>
<p>${fill(text, { client: nameOf(content.client, messages) })}</p>
</header>`
  const { brand, status } = content
  return page({ brand, messages, title, status, formAction: 'none', body })
}

const nameOf = ({ unverifiedHost, clientName }: DeviceClient, { unnamedClient }: Messages): Fragment =>
  unverifiedHost === undefined ? renderName(clientName, unnamedClient) : renderName(unverifiedHost, unnamedClient)
