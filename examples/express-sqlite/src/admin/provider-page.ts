import type { LogEntryView, ProviderSetup } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html, type Markup } from '../site/html.ts'
import { textOf } from '../site/text-of.ts'
import { actButtons } from './act-button.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, nextLink, pageRequestOf, subjectOf } from './page-address.ts'
import { readPostedAct, unknownAct } from './posted-act.ts'
import { secretList } from './secret-list.ts'
import { previousSecretsEnd, secretPage } from './secret-page.ts'
import { shownTime } from './shown-time.ts'

/** One identity provider: what is pasted there, and what it asked for. */
export const providerPage: AdminPage = async ({ request, admin }) => {
  const provider = await admin.identityProviders.read(subjectOf(request))
  const { providerId, displayName, disabledAt, tenantUrl, toleranceProfile, secrets } = provider
  const setups = await Promise.all((['okta', 'entra'] as const).map((product) => admin.identityProviders.setup(providerId, product)))
  const requests = await admin.identityProviders.requests(providerId, pageRequestOf(request))
  return adminResponse({
    title: displayName,
    part: '/admin/providers',
    intro: disabledAt === undefined ? html`In use.` : html`Disabled since ${shownTime(disabledAt)}: its requests are refused, its accounts stay as they are.`,
    body: html`<section aria-labelledby="connection">
<h2 id="connection">Connection</h2>
<dl>
<dt>SCIM Tenant URL</dt><dd><code>${tenantUrl}</code></dd>
<dt>Tolerance profile</dt><dd><code>${toleranceProfile}</code></dd>
</dl>
${setups.map(setup)}
${actButtons(addressOf('/admin/provider', providerId), [disabledAt === undefined ? { act: 'disable', label: 'Disable' } : { act: 'enable', label: 'Enable' }])}
</section>
<section aria-labelledby="secrets">
<h2 id="secrets">Secret Tokens</h2>
${secretList(secrets)}
${actButtons(addressOf('/admin/provider', providerId), [
  { act: 'add-secret', label: 'Rotate the Secret Token' },
  secrets.length > 1 ? { act: 'end-previous-secrets', label: 'End the previous one now' } : undefined,
])}
</section>
<section aria-labelledby="requests">
<h2 id="requests">Requests</h2>
${requests.items.length === 0 ? html`<p>It has not asked for anything yet.</p>` : html`<ul class="entries">${requests.items.map(requestEntry)}</ul>`}
${nextLink(request, requests.next)}
</section>`,
  })
}

/** The buttons of the page. */
export const actOnProvider: AdminPage = async ({ request, admin }) => {
  const { identityProviders } = admin
  const { providerId, displayName } = await identityProviders.read(subjectOf(request))
  const address = addressOf('/admin/provider', providerId)
  const { act } = readPostedAct(request)
  switch (act) {
    case 'disable':
      await identityProviders.disable({ providerId })
      return redirect(address)
    case 'enable':
      await identityProviders.enable({ providerId })
      return redirect(address)
    case 'end-previous-secrets':
      await identityProviders.endPreviousSecrets(providerId)
      return redirect(address)
    case 'add-secret': {
      const secret = await identityProviders.addSecret(providerId, { previousExpiresAt: previousSecretsEnd() })
      return secretPage({ part: '/admin/providers', title: `Secret Token of ${displayName}`, secret, address, advice: 'Paste it at the directory.' })
    }
    default:
      throw unknownAct()
  }
}

const setup = ({ product, text }: ProviderSetup): Markup => html`<details>
<summary>What to do at ${product === 'okta' ? 'Okta' : 'Microsoft Entra ID'}</summary>
<pre tabindex="0">${text}</pre>
</details>`

/** Neither the query nor the body of a request is known: both are about people. */
const requestEntry = ({ at, detail }: LogEntryView): Markup =>
  html`<li><code>${textOf(detail['method'])} ${textOf(detail['path'])}</code> answered ${textOf(detail['status'])} ${textOf(detail['reason'])}<br>${shownTime(at)}</li>`
