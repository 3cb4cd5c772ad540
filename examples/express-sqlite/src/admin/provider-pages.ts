import type { Administration, LogEntryView } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import {
  adminResponse,
  addressOf,
  nextLink,
  pageRequestOf,
  subjectTable,
  actButtons,
  disableButton,
  subjectOf,
  readPostedAct,
  unknownAct,
  secretList,
  previousSecretsEnd,
  secretPage,
  shownTime,
  type AdminPage,
} from './admin-page.ts'

/** The identity providers. */
export const providersPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.identityProviders.list(pageRequestOf(request))
  const subjects = items.map(({ providerId, displayName, disabledAt }) => ({
    address: addressOf('/admin/provider', providerId),
    name: displayName,
    state: disabledAt === undefined ? 'in use' : 'disabled',
  }))
  return adminResponse({
    title: 'Identity providers',
    part: '/admin/providers',
    intro: html`Directories that create, change and deactivate accounts here, by SCIM 2.0.`,
    body: html`<section>${subjectTable(subjects)}${nextLink(request, next)}</section>`,
  })
}

/** One identity provider: its settings for the directory, and its requests. */
export const providerPage: AdminPage = async ({ request, admin: { identityProviders } }) => {
  const provider = await identityProviders.read(subjectOf(request))
  const { providerId, displayName, disabledAt, tenantUrl, toleranceProfile, secrets } = provider
  const setups = [await identityProviders.setup(providerId, 'okta'), await identityProviders.setup(providerId, 'entra')]
  const { items, next } = await identityProviders.requests(providerId, pageRequestOf(request))
  const address = addressOf('/admin/provider', providerId)
  const disabled =
    disabledAt && html`Disabled since ${shownTime(disabledAt)}: its requests are refused, its accounts stay.`
  return adminResponse({
    title: displayName,
    part: '/admin/providers',
    intro: disabled ?? html`In use.`,
    body: html`<section aria-labelledby="connection">
<h2 id="connection">Connection</h2>
<dl>
<dt>SCIM Tenant URL</dt><dd><code>${tenantUrl}</code></dd>
<dt>Tolerance profile</dt><dd><code>${toleranceProfile}</code></dd>
</dl>
${setups.map(instructions)}
${actButtons(address, disableButton(disabledAt))}
</section>
<section aria-labelledby="secrets">
<h2 id="secrets">Secret Tokens</h2>
${secretList(secrets)}
${actButtons(
  address,
  { act: 'add-secret', label: 'Rotate the Secret Token' },
  secrets.length > 1 ? { act: 'end-previous-secrets', label: 'End the previous one now' } : undefined,
)}
</section>
<section aria-labelledby="requests">
<h2 id="requests">Requests</h2>
${items.length === 0 ? html`<p>It has not asked for anything yet.</p>` : html`<ul class="entries">${items.map(entry)}</ul>`}
${nextLink(request, next)}
</section>`,
  })
}

/** Handles the buttons of the page. */
export const actOnProvider: AdminPage = async ({ request, admin: { identityProviders } }) => {
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
      await identityProviders.revokePreviousSecrets(providerId)
      return redirect(address)
    case 'add-secret': {
      const secret = await identityProviders.addSecret(providerId, { previousExpiresAt: previousSecretsEnd() })
      const advice = 'Paste it at the directory.'
      return secretPage({ part: '/admin/providers', title: `Secret Token of ${displayName}`, secret, advice, address })
    }
    default:
      throw unknownAct()
  }
}

const instructions = ({
  product,
  text,
}: Awaited<ReturnType<Administration['identityProviders']['setup']>>): Markup => html`<details>
<summary>What to do at ${product === 'okta' ? 'Okta' : 'Microsoft Entra ID'}</summary>
<pre tabindex="0">${text}</pre>
</details>`

/** A request of the provider. Its query and its body are not logged, because they contain personal data. */
const entry = ({ at, detail: { method, path, status, reason } }: LogEntryView): Markup =>
  html`<li><code>${textOf(method)} ${textOf(path)}</code> answered ${textOf(status)} ${textOf(reason)}<br>
${shownTime(at)}</li>`
