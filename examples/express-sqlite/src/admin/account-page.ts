import type { Administration, GrantView, SessionView } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html, type Markup } from '../site/html.ts'
import { textOf } from '../site/text-of.ts'
import { accountName } from './account-name.ts'
import { actButtons } from './act-button.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, subjectOf } from './page-address.ts'
import { readPostedAct, unknownAct } from './posted-act.ts'
import { shownTime } from './shown-time.ts'

/** One account: who it is, what apps were allowed, where the person is signed in. */
export const accountPage: AdminPage = async ({ request, admin }) => {
  const account = await admin.accounts.read(subjectOf(request))
  const { userId, active, claims, createdAt } = account
  const address = addressOf('/admin/account', userId)
  const grants = await admin.grants.listOfAccount(userId)
  const sessions = await admin.sessions.listOfAccount(userId)
  const nameOf = await clientNames(admin)
  return adminResponse({
    title: accountName(account),
    part: '/admin/accounts',
    intro: active ? html`Active.` : html`Deactivated: nothing that was issued to this person is honoured.`,
    body: html`<section aria-labelledby="account">
<h2 id="account">Account</h2>
<dl>
<dt>Identifier</dt><dd><code>${userId}</code></dd>
<dt>Username</dt><dd>${textOf(claims['preferred_username'])}</dd>
<dt>Email</dt><dd>${textOf(claims['email'])}</dd>
<dt>Since</dt><dd>${shownTime(createdAt)}</dd>
</dl>
${actButtons(address, [active ? { act: 'deactivate', label: 'Deactivate' } : { act: 'reactivate', label: 'Reactivate' }])}
</section>
<section aria-labelledby="grants">
<h2 id="grants">Grants</h2>
${grants.length === 0 ? html`<p>No app was allowed anything.</p>` : grants.map((grant) => grantRow(grant, nameOf(grant.clientId), address))}
${actButtons(address, [grants.length > 1 ? { act: 'revoke-grants', label: 'Revoke all grants' } : undefined])}
</section>
<section aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
${sessions.length === 0 ? html`<p>Signed in nowhere.</p>` : sessions.map((session) => sessionRow(session, address))}
${actButtons(address, [sessions.length > 1 ? { act: 'end-sessions', label: 'End all sessions' } : undefined])}
</section>`,
  })
}

/** The buttons of the page. */
export const actOnAccount: AdminPage = async ({ request, admin }) => {
  const userId = subjectOf(request)
  const { act, about } = readPostedAct(request)
  switch (act) {
    case 'deactivate':
      await admin.accounts.deactivate(userId)
      break
    case 'reactivate':
      await admin.accounts.reactivate(userId)
      break
    case 'revoke-grant':
      await admin.grants.revoke({ userId, grantId: about })
      break
    case 'revoke-grants':
      await admin.grants.revokeAllOfAccount(userId)
      break
    case 'end-session':
      await admin.sessions.revoke({ userId, sessionId: about })
      break
    case 'end-sessions':
      await admin.sessions.revokeAllOfAccount(userId)
      break
    default:
      throw unknownAct()
  }
  return redirect(addressOf('/admin/account', userId))
}

/** What clients are called. One that is not among the first keeps its identifier for a name. */
async function clientNames({ clients }: Administration): Promise<(clientId: string) => string> {
  const { items } = await clients.list({ limit: 200 })
  const names = new Map(items.map(({ clientId, clientName }) => [clientId as string, clientName]))
  return (clientId) => names.get(clientId) ?? clientId
}

const grantRow = ({ grantId, scopes, createdAt, honoured }: GrantView, clientName: string, address: string): Markup =>
  row({ address, act: 'revoke-grant', about: grantId, label: 'Revoke', name: `the grant of ${clientName}` }, html`<strong>${clientName}</strong>${
    honoured ? undefined : ' (not honoured)'
  }<br><code>${scopes.join(' ')}</code><br>${shownTime(createdAt)}`)

const sessionRow = ({ sessionId, signedInAt, expiresAt, amr }: SessionView, address: string): Markup =>
  row({ address, act: 'end-session', about: sessionId, label: 'End', name: 'this session' }, html`Signed in ${shownTime(signedInAt)}${
    amr.length === 0 ? undefined : ` by ${amr.join(', ')}`
  }<br>ends ${shownTime(expiresAt)}`)

interface RowButton {
  readonly address: string
  readonly act: string
  readonly about: string
  readonly label: string
  /** What the button is about, for whoever does not see the row. */
  readonly name: string
}

const row = ({ address, act, about, label, name }: RowButton, text: Markup): Markup =>
  html`<form class="status" method="post" action="${address}">
<p>${text}</p>
<input type="hidden" name="about" value="${about}">
<button type="submit" name="act" value="${act}" aria-label="${label} ${name}">${label}</button>
</form>`
