import type { Administration } from '@mintmark/admin'
import { redirect } from '@mintmark/core/http'

import { html } from '../site/html.ts'
import { textOf } from '../site/text-of.ts'
import { grantRow, sessionRow } from './access-row.ts'
import { accountName } from './account-name.ts'
import { actButtons } from './act-button.ts'
import { adminResponse, type AdminPage } from './admin-page.ts'
import { addressOf, subjectOf } from './page-address.ts'
import { readPostedAct, unknownAct } from './posted-act.ts'
import { shownTime } from './shown-time.ts'

/** One account: who it is, what apps were allowed, where the person is signed in. */
export const accountPage: AdminPage = async ({ request, admin }) => {
  const account = await admin.users.read(subjectOf(request))
  const { userId, active, claims, createdAt } = account
  const address = addressOf('/admin/account', userId)
  const grants = await admin.grants.listOfUser(userId)
  const sessions = await admin.sessions.listOfUser(userId)
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
${actButtons(address, active ? { act: 'deactivate', label: 'Deactivate' } : { act: 'reactivate', label: 'Reactivate' })}
</section>
<section aria-labelledby="grants">
<h2 id="grants">Grants</h2>
${grants.length === 0 ? html`<p>No app was allowed anything.</p>` : undefined}
${grants.map((grant) => grantRow(grant, nameOf(grant.clientId), address))}
${actButtons(address, grants.length > 1 ? { act: 'revoke-grants', label: 'Revoke all grants' } : undefined)}
</section>
<section aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
${sessions.length === 0 ? html`<p>Signed in nowhere.</p>` : undefined}
${sessions.map((session) => sessionRow(session, address))}
${actButtons(address, sessions.length > 1 ? { act: 'end-sessions', label: 'End all sessions' } : undefined)}
</section>`,
  })
}

/** The buttons of the page. */
export const actOnAccount: AdminPage = async ({ request, admin: { users: accounts, grants, sessions } }) => {
  const userId = subjectOf(request)
  const { act, about } = readPostedAct(request)
  switch (act) {
    case 'deactivate':
      await accounts.deactivate(userId)
      break
    case 'reactivate':
      await accounts.reactivate(userId)
      break
    case 'revoke-grant':
      await grants.revoke({ userId, grantId: about })
      break
    case 'revoke-grants':
      await grants.revokeAllOfUser(userId)
      break
    case 'end-session':
      await sessions.revoke({ userId, sessionId: about })
      break
    case 'end-sessions':
      await sessions.revokeAllOfUser(userId)
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
