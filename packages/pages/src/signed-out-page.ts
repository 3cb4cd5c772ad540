import type { ServerResponse } from '@mintmark/core/http'
import { html } from './html.ts'
import { icon } from './icon.ts'
import { messagesIn, type LanguageChoice } from './messages/choose-locale.ts'
import { page } from './page.ts'

/** Where signing out ends when no client is to be returned to. */
export function signedOutPage(language: LanguageChoice = {}): ServerResponse {
  const messages = messagesIn(language)
  const body = html`<header>
<span class="tile">${icon('leave')}</span>
<h1>${messages.signedOut.title}</h1>
<p>${messages.signedOut.text}</p>
</header>`
  return page({ messages, title: messages.signedOut.title, status: 200, formAction: 'none', body })
}
