import type { ServerResponse } from '@mintmark/core/http'
import { type Brand, html, icon } from '@mintmark/pages/internal'

import { framedPage } from '../layout.ts'
import type { ConsoleError, ConsoleRefusalReason } from '../refusals.ts'
import type { SetupMessages } from './languages/messages.ts'
import { askNote } from './setup-visit.ts'

interface SetupRefusal {
  readonly messages: SetupMessages
  readonly brand: Brand | undefined
  readonly contact?: string
  /** The correlation identifier of the event. */
  readonly reference?: string
}

/** Says why a request was refused, and whom to ask. Links that expired, were revoked or never existed look alike. */
export function setupRefusalPage(
  error: ConsoleError,
  { messages, brand, contact, reference }: SetupRefusal,
): ServerResponse {
  const { errors } = messages
  const { title, advice } = errors[texts[error.reason]]
  return framedPage({
    brand,
    messages,
    title,
    status: error.status,
    body: html`<section>
<div class="notice" role="alert">
<h1 class="bad" tabindex="-1" autofocus>${icon('exclamation')} ${title}</h1>
<p>${advice}</p>
</div>
${askNote({ messages, contact })}
<p class="fine">${errors.code}: <code>${error.reason}</code></p>
${reference && html`<p class="fine">${errors.reference}: <code>${reference}</code></p>`}
</section>`,
  })
}

const texts = {
  setup_link_invalid: 'link',
  cross_site: 'crossSite',
  page_not_found: 'link',
  unexpected_failure: 'failed',
  not_signed_in: 'refused',
  not_an_administrator: 'refused',
  scope_missing: 'refused',
  form_malformed: 'refused',
  method_not_allowed: 'refused',
  message_too_large: 'refused',
} as const satisfies Record<ConsoleRefusalReason, keyof SetupMessages['errors']>
