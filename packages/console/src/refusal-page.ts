import type { ServerResponse } from '@mintmark/core/http'
import { address, type Brand, html, icon } from '@mintmark/pages/internal'

import { apiSentence } from './elements/notice.ts'
import type { ErrorText, Messages } from './languages/messages.ts'
import { consolePage, type Navigation } from './layout.ts'
import { ApiError, type ConsoleError, type ConsoleRefusalReason } from './refusals.ts'

interface RefusalPage {
  readonly messages: Messages
  readonly brand: Brand | undefined
  /** The address of the first page. */
  readonly home?: string
  /** The address of the sign-in page. */
  readonly signIn?: string | undefined
  readonly navigation?: Navigation | undefined
  /** The correlation identifier of the event. */
  readonly reference?: string
}

/** Says why a request was refused, and what to do. */
export function refusalPage(error: ConsoleError | ApiError, page: RefusalPage): ServerResponse {
  const { messages, brand, home, signIn, navigation, reference } = page
  const { title, advice } = textOf(error, messages)
  const code = error instanceof ApiError ? error.code : error.reason
  const asksToSignIn = code === 'not_signed_in' || code === 'not_an_administrator'
  return consolePage({
    brand,
    messages,
    title,
    status: error.status,
    navigation: asksToSignIn ? undefined : navigation,
    body: html`<section>
<div class="notice" role="alert">
<h1 class="bad" tabindex="-1" autofocus>${icon('exclamation')} ${title}</h1>
<p>${advice}</p>
${error instanceof ApiError ? apiSentence(error) : undefined}
</div>
<p class="fine">${messages.errors.code}: <code>${code}</code></p>
${reference && html`<p class="fine">${messages.errors.reference}: <code>${reference}</code></p>`}
${asksToSignIn && signIn ? html`<p class="buttons"><a class="button" ${address('href', signIn)}>${messages.errors.signIn}</a></p>` : undefined}
${!asksToSignIn && home ? html`<p class="buttons"><a class="button" ${address('href', home)}>${messages.errors.back}</a></p>` : undefined}
</section>`,
  })
}

function textOf(error: ConsoleError | ApiError, { errors }: Messages): ErrorText {
  if (!(error instanceof ApiError)) return errors[ownTexts[error.reason]]
  if (error.status >= 500) return errors.failed
  return errors[apiTexts.get(error.status) ?? 'refused']
}

const ownTexts = {
  cross_site: 'crossSite',
  not_signed_in: 'notSignedIn',
  not_an_administrator: 'notAdministrator',
  // Only the page for the holders of set-up links has this reason.
  setup_link_invalid: 'forbidden',
  scope_missing: 'forbidden',
  form_malformed: 'refused',
  page_not_found: 'missing',
  method_not_allowed: 'refused',
  message_too_large: 'refused',
  unexpected_failure: 'failed',
} as const satisfies Record<ConsoleRefusalReason, keyof Messages['errors']>

const apiTexts: ReadonlyMap<number, 'stale' | 'missing' | 'forbidden'> = new Map([
  [403, 'forbidden'],
  [404, 'missing'],
  [412, 'stale'],
])
