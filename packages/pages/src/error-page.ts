import type { ServerResponse } from '@mintmark/core/http'
import { html } from './html.ts'
import { icon } from './icon.ts'
import { messagesFor, type Locale } from './messages/choose-locale.ts'
import { page } from './page.ts'

interface ErrorPageInput {
  readonly status: number
  /** The public error code (RFC 6749 §4.1.2.1 and its extensions). */
  readonly code: string
  /** The server's fixed English sentence. */
  readonly description: string
  readonly locale?: Locale | undefined
}

/** Says what went wrong where nothing may be redirected. It fits the server's `renderErrorPage` option as it is. */
export function errorPage({ status, code, description, locale }: ErrorPageInput): ServerResponse {
  const messages = messagesFor(locale)
  const body = html`<header>
<span class="tile warning">${icon('exclamation')}</span>
<h1>${messages.error.title}</h1>
</header>
<p lang="en" dir="ltr">${description}</p>
<p>${messages.error.advice}</p>
<p class="fine">${messages.error.codeLabel}: <code>${code}</code></p>`
  return page({ messages, title: messages.error.title, status, formAction: 'none', body })
}
