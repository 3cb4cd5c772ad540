import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { html } from './html.ts'
import { messagesFor, maxLanguages } from './languages/choose-language.ts'
import { icon, type Look, page } from './page.ts'

interface ErrorPageInput extends Look {
  readonly status: number
  /** The public error code (RFC 6749 §4.1.2.1 and its extensions). */
  readonly code: string
  /** The server's fixed English sentence. */
  readonly description: string
  /** A problem for which the page has a sentence in each language. It replaces `description` and the advice to start again. */
  readonly problem?: 'account_deactivated' | undefined
  /** The `correlationId` of the server's events, which support can search for. The server passes it. */
  readonly correlationId?: string | undefined
}

/**
 * Renders an error that must not be redirected to the client. Pass it to the server's option `renderErrorPage`.
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function errorPage(
  { status, code, description, problem, correlationId, ...look }: ErrorPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor({ uiLocales: request && uiLocalesOf(request), ...look }, request)
  // The server's sentence is English: it comes first for users who read English.
  const detail = html`<p lang="en" dir="ltr">${description}</p>`
  const advice = html`<p>${messages.error.advice}</p>`
  const general = messages.lang.startsWith('en') ? [detail, advice] : [advice, detail]
  const body = html`<header>
<span class="tile warning">${icon('exclamation')}</span>
<h1>${messages.error.title}</h1>
</header>
${problem === undefined ? general : html`<p>${messages.error.deactivated}</p>`}
<p class="fine">${messages.error.codeLabel}: <code>${code}</code></p>
${correlationId && html`<p class="fine">${messages.error.referenceLabel}: <code>${correlationId}</code></p>`}`
  return page({ brand: look.brand, messages, title: messages.error.title, status, formAction: 'none', body })
}

/** Reads `ui_locales`, because the server refused the request before it read them. */
const uiLocalesOf = ({ url }: RequestHead): readonly string[] =>
  (url.searchParams.get('ui_locales') ?? '').split(' ', maxLanguages)
