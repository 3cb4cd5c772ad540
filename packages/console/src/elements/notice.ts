import { type Fragment, html, icon } from '@mintmark/pages/internal'

import type { Messages } from '../languages/messages.ts'
import type { ApiError } from '../refusals.ts'
import type { Visit } from '../visit.ts'

/** Renders a refusal of the administration API above the form. The focus is on its heading. */
export const refusalNotice = (error: ApiError, messages: Messages): Fragment => html`<div class="notice" role="alert">
<h2 tabindex="-1" autofocus>${icon('exclamation')}${messages.errors.refused.title}</h2>
${apiSentence(error)}
</div>`

/** The sentence of the API is English, in every language. */
export const apiSentence = ({ detail, pointer }: ApiError): Fragment =>
  html`<p lang="en" dir="ltr">${detail}${pointer && html` <code>${pointer}</code>`}</p>`

/** Renders the confirmation of a change, to which the console has redirected. */
export const changeStatus = ({ request, messages }: Visit): Fragment | undefined =>
  request.url.searchParams.has('done') ? html`<p class="status" role="status">${messages.changeDone}</p>` : undefined
