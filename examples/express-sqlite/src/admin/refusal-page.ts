import type { AdminError } from '@mintmark/admin'
import type { ServerResponse } from '@mintmark/core/http'

import { htmlDocument, htmlResponse } from '../site/document.ts'
import { html } from '../site/html.ts'

/** Says that something was not done, and why. It shows nothing of the area: whoever reads it may be a stranger. */
export const refusalPage = ({ status, reason, detail }: AdminError): ServerResponse =>
  htmlResponse(
    htmlDocument(
      'Refused · Administration',
      html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>That was not done</h1>
</header>
<div class="notice" role="alert">
<p>${detail}</p>
<p class="fine">Code: <code>${reason}</code></p>
</div>
<p class="actions">${reason === 'not_an_administrator' ? html`<a href="/">To the apps</a>` : html`<a href="/admin">To the administration</a>`}</p>`,
    ),
    status,
  )
