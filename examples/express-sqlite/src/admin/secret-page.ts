import type { ServerResponse } from '@mintmark/core/http'
import { after, epochSeconds, seconds, type EpochSeconds } from '@mintmark/storage-interface'

import { html } from '../site/html.ts'
import { adminResponse } from './admin-page.ts'

interface NewSecret {
  readonly part: '/admin/clients' | '/admin/providers'
  /** What it is, such as `Secret Token of Example Corp`. */
  readonly title: string
  readonly secret: string
  /** Where it is to be pasted. */
  readonly advice: string
  /** Where to go on. */
  readonly address: string
}

/** The only page that ever shows the secret, the answer to the form itself: no address has it, no cache may keep it. */
export const secretPage = ({ part, title, secret, advice, address }: NewSecret): ServerResponse =>
  adminResponse({
    title,
    part,
    intro: html`This is the only time that anybody sees it. OAuthStorage keeps its digest alone.`,
    body: html`<section aria-labelledby="secret">
<h2 id="secret">Copy it now</h2>
<pre id="new-secret" tabindex="0">${secret}</pre>
<p class="fine">${advice} The one before it works for another hour.</p>
<p class="actions"><a href="${address}">Done</a></p>
</section>`,
  })

/** When the secrets before a new one end: time to paste it. */
export const previousSecretsEnd = (): EpochSeconds => after(epochSeconds(Date.now() / 1000), seconds(3600))
