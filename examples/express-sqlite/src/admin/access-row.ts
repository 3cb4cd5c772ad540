import type { Administration } from '@mintmark/admin'

import { html, type Markup } from '../site/html.ts'
import { shownTime } from './shown-time.ts'

type GrantView = Awaited<ReturnType<Administration['grants']['listOfUser']>>[number]
type SessionView = Awaited<ReturnType<Administration['sessions']['listOfUser']>>[number]

/** What an app was allowed, with the button that revokes it. */
export const grantRow = (
  { grantId, scopes, createdAt, honoured }: GrantView,
  clientName: string,
  address: string,
): Markup =>
  row(
    { address, act: 'revoke-grant', about: grantId, label: 'Revoke', object: `the grant of ${clientName}` },
    html`<strong>${clientName}</strong>${honoured ? undefined : ' (not honoured)'}<br>
<code>${scopes.join(' ')}</code><br>
${shownTime(createdAt)}`,
  )

/** A browser in which a person is signed in, with the button that ends that. */
export const sessionRow = ({ sessionId, signedInAt, expiresAt, amr }: SessionView, address: string): Markup =>
  row(
    { address, act: 'end-session', about: sessionId, label: 'End', object: 'this session' },
    html`Signed in ${shownTime(signedInAt)}${amr.length === 0 ? undefined : ` by ${amr.join(', ')}`}<br>
ends ${shownTime(expiresAt)}`,
  )

interface RowButton {
  readonly address: string
  readonly act: string
  /** Which grant or session; the identifier opens nothing. */
  readonly about: string
  readonly label: string
  /** What the button is about, for whoever does not see the row. */
  readonly object: string
}

const row = ({ address, act, about, label, object }: RowButton, text: Markup): Markup =>
  html`<form class="status" method="post" action="${address}">
<p>${text}</p>
<input type="hidden" name="about" value="${about}">
<button type="submit" name="act" value="${act}" aria-label="${label} ${object}">${label}</button>
</form>`
