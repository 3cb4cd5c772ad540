import type { ClientView } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html, type Markup } from '../site/html.ts'
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

export const clientsPage: AdminPage = async ({ request, admin }) => {
  const { items, next } = await admin.clients.list(pageRequestOf(request))
  const records = items.map(({ clientId, clientName, disabledAt }) => ({
    address: addressOf('/admin/client', clientId),
    name: clientName,
    state: disabledAt === undefined ? 'in use' : 'disabled',
  }))
  return adminResponse({
    title: 'Clients',
    section: '/admin/clients',
    intro: html`Only administrators can register clients. Clients cannot register themselves.`,
    body: html`<section>${recordTable(records)}${nextLink(request, next)}
<p class="fine">To create or change a client, use the command line: <code>mintmark client create</code>, <code>mintmark client update</code>.</p></section>`,
  })
}

export const clientPage: AdminPage = async ({ request, admin }) => {
  const client = await admin.clients.read(recordIdOf(request))
  const { clientId, clientName, disabledAt, redirectUris, scopes, tokenEndpointAuthMethod, secrets } = client
  const disabled =
    disabledAt && html`Disabled since ${formatTime(disabledAt)}: everything issued to this client is refused.`
  return adminResponse({
    title: clientName,
    section: '/admin/clients',
    intro: disabled ?? html`In use.`,
    body: html`<section aria-labelledby="registration">
<h2 id="registration">Registration</h2>
<dl>
<dt>Identifier</dt><dd><code>${clientId}</code></dd>
<dt>Authentication</dt><dd><code>${tokenEndpointAuthMethod}</code></dd>
<dt>Redirect URIs</dt><dd><code>${redirectUris.join(' ')}</code></dd>
<dt>Scopes</dt><dd><code>${scopes.join(' ')}</code></dd>
</dl>
${actionButtons(addressOf('/admin/client', clientId), disableButton(disabledAt))}
</section>
${secrets.length === 0 ? undefined : secretSection(client)}`,
  })
}

/** Handles the buttons of the page. */
export const handleClientAction: AdminPage = async ({ request, admin: { clients } }) => {
  const { clientId, clientName } = await clients.read(recordIdOf(request))
  const address = addressOf('/admin/client', clientId)
  const { action } = readPostedAction(request)
  switch (action) {
    case 'disable':
      await clients.disable({ clientId })
      return redirect(address)
    case 'enable':
      await clients.enable({ clientId })
      return redirect(address)
    case 'end-previous-secrets':
      await clients.revokePreviousSecrets(clientId)
      return redirect(address)
    case 'add-secret': {
      const secret = await clients.addSecret(clientId, { previousExpiresAt: previousSecretsExpiry() })
      const advice = 'Put it where the app keeps its secret.'
      return secretPage({ section: '/admin/clients', title: `Secret of ${clientName}`, secret, advice, address })
    }
    default:
      throw unknownAction()
  }
}

const secretSection = ({ clientId, secrets }: ClientView): Markup => html`<section aria-labelledby="secrets">
<h2 id="secrets">Secrets</h2>
${secretList(secrets)}
${actionButtons(
  addressOf('/admin/client', clientId),
  { action: 'add-secret', label: 'Rotate the secret' },
  secrets.length > 1 ? { action: 'end-previous-secrets', label: 'Revoke the previous secret now' } : undefined,
)}
</section>`
