import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { html } from './html.ts'
import { messagesFor, mostWishes } from './languages/choose-language.ts'
import { icon, type Look, page } from './page.ts'

interface ErrorPageInput extends Look {
  readonly status: number
  /** The public error code (RFC 6749 §4.1.2.1 and its extensions). */
  readonly code: string
  /** The server's fixed English sentence. */
  readonly description: string
  /** The server passes the `correlationId` of its events, which support can search for. */
  readonly correlationId?: string | undefined
}

/**
 * Says what went wrong where nothing may be redirected. It fits the server's `renderErrorPage` option as it is.
 * @param request what it answers: its language is chosen by it, unless the host has chosen one.
 */
export function errorPage(
  { status, code, description, correlationId, ...look }: ErrorPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor({ uiLocales: request && uiLocalesOf(request), ...look }, request)
  // The server's sentence comes first where users can read it.
  const detail = html`<p lang="en" dir="ltr">${description}</p>`
  const advice = html`<p>${messages.error.advice}</p>`
  const body = html`<header>
<span class="tile warning">${icon('exclamation')}</span>
<h1>${messages.error.title}</h1>
</header>
${messages.lang.startsWith('en') ? [detail, advice] : [advice, detail]}
<p class="fine">${messages.error.codeLabel}: <code>${code}</code></p>
${correlationId && html`<p class="fine">${messages.error.referenceLabel}: <code>${correlationId}</code></p>`}`
  return page({ brand: look.brand, messages, title: messages.error.title, status, formAction: 'none', body })
}

/** The request was refused before its `ui_locales` were read. */
const uiLocalesOf = ({ url }: RequestHead): readonly string[] =>
  (url.searchParams.get('ui_locales') ?? '').split(' ', mostWishes)
