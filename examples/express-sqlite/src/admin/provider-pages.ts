import type { Administration, LogEntryView } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import {
  adminResponse,
  addressOf,
  nextLink,
  pageRequestOf,
  recordTable,
  actionButtons,
  disableButton,
  recordIdOf,
  readPostedAction,
  unknownAction,
  secretList,
  previousSecretsExpiry,
  secretPage,
  formatTime,
  type AdminPage,
} from './admin-page.ts'

export const providersPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.identityProviders.list(pageRequestOf(request))
  const records = items.map(({ providerId, displayName, disabledAt }) => ({
    address: addressOf('/admin/provider', providerId),
    name: displayName,
    state: disabledAt === undefined ? 'in use' : 'disabled',
  }))
  return adminResponse({
    title: 'Identity providers',
    section: '/admin/providers',
    intro: html`Directories that create, change and deactivate accounts here, by SCIM 2.0.`,
    body: html`<section>${recordTable(records)}${nextLink(request, next)}
<p class="fine">To connect a directory, use the command line: <code>mintmark idp register</code>.</p></section>`,
  })
}

/** Shows one identity provider: its settings for the directory, and its requests. */
export const providerPage: AdminPage = async ({ request, admin: { identityProviders } }) => {
  const provider = await identityProviders.read(recordIdOf(request))
  const { providerId, displayName, disabledAt, tenantUrl, toleranceProfile, secrets } = provider
  const setups = [await identityProviders.setup(providerId, 'okta'), await identityProviders.setup(providerId, 'entra')]
  const { items, next } = await identityProviders.requests(providerId, pageRequestOf(request))
  const address = addressOf('/admin/provider', providerId)
  const disabled =
    disabledAt && html`Disabled since ${formatTime(disabledAt)}: its requests are refused, and its accounts are kept.`
  return adminResponse({
    title: displayName,
    section: '/admin/providers',
    intro: disabled ?? html`In use.`,
    body: html`<section aria-labelledby="connection">
<h2 id="connection">Connection</h2>
<dl>
<dt>SCIM Tenant URL</dt><dd><code>${tenantUrl}</code></dd>
<dt>Tolerance profile</dt><dd><code>${toleranceProfile}</code></dd>
</dl>
${setups.map(setupInstructions)}
${actionButtons(address, disableButton(disabledAt))}
</section>
<section aria-labelledby="secrets">
<h2 id="secrets">Secret Tokens</h2>
${secretList(secrets)}
${actionButtons(
  address,
  { action: 'add-secret', label: 'Rotate the Secret Token' },
  secrets.length > 1 ? { action: 'end-previous-secrets', label: 'Revoke the previous Secret Token now' } : undefined,
)}
</section>
<section aria-labelledby="requests">
<h2 id="requests">Requests</h2>
${items.length === 0 ? html`<p>The directory has not sent any requests yet.</p>` : html`<ul class="entries">${items.map(requestEntry)}</ul>`}
${nextLink(request, next)}
</section>`,
  })
}

/** Handles the buttons of the page. */
export const handleProviderAction: AdminPage = async ({ request, admin: { identityProviders } }) => {
  const { providerId, displayName } = await identityProviders.read(recordIdOf(request))
  const address = addressOf('/admin/provider', providerId)
  const { action } = readPostedAction(request)
  switch (action) {
    case 'disable':
      await identityProviders.disable({ providerId })
      return redirect(address)
    case 'enable':
      await identityProviders.enable({ providerId })
      return redirect(address)
    case 'end-previous-secrets':
      await identityProviders.revokePreviousSecrets(providerId)
      return redirect(address)
    case 'add-secret': {
      const secret = await identityProviders.addSecret(providerId, { previousExpiresAt: previousSecretsExpiry() })
      const advice = 'Paste it into the settings of the directory.'
      return secretPage({
        section: '/admin/providers',
        title: `Secret Token of ${displayName}`,
        secret,
        advice,
        address,
      })
    }
    default:
      throw unknownAction()
  }
}

const setupInstructions = ({
  product,
  text,
}: Awaited<ReturnType<Administration['identityProviders']['setup']>>): Markup => html`<details>
<summary>What to do at ${product === 'okta' ? 'Okta' : 'Microsoft Entra ID'}</summary>
<pre tabindex="0">${text}</pre>
</details>`

/** A request of the provider. The log does not contain its query and body, because these contain personal data. */
const requestEntry = ({ at, detail: { method, path, status, reason } }: LogEntryView): Markup =>
  html`<li><code>${textOf(method)} ${textOf(path)}</code> response ${textOf(status)} ${textOf(reason)}<br>
${formatTime(at)}</li>`
