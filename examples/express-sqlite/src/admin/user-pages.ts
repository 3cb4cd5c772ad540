import { AdminError, type Administration, type UserView } from '@mintmark/admin'
import { redirect, type ServerRequest } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import {
  adminResponse,
  addressOf,
  nextLink,
  pageRequestOf,
  subjectTable,
  actButtons,
  subjectOf,
  readPostedAct,
  unknownAct,
  shownTime,
  type AdminPage,
} from './admin-page.ts'

/** The users, or those that match a filter. */
export const accountsPage: AdminPage = async ({ request, admin }) => {
  const filter = request.url.searchParams.get('filter') ?? ''
  const found = await search({ ...pageRequestOf(request), filter }, admin)
  const isFound = 'items' in found
  return adminResponse({
    title: 'Accounts',
    part: '/admin/accounts',
    intro: html`The host’s own users, and users whom a directory provisions.`,
    body: html`${searchForm(filter, isFound ? undefined : found.problem)}${isFound ? results(found, request) : undefined}`,
    status: isFound ? 200 : 400,
  })
}

type UserPage = Awaited<ReturnType<Administration['users']['list']>>
type Search = ReturnType<typeof pageRequestOf> & { readonly filter: string }
type SearchOutcome = UserPage | { readonly problem: string }

/** An invalid filter is reported beside its field. Other refusals have their own page. */
async function search({ filter, ...page }: Search, { users: accounts }: Administration): Promise<SearchOutcome> {
  try {
    return await accounts.list(filter === '' ? page : { ...page, filter })
  } catch (error) {
    if (error instanceof AdminError && error.reason.startsWith('filter_')) return { problem: error.detail }
    throw error
  }
}

function searchForm(filter: string, problem: string | undefined): Markup {
  const invalid = problem === undefined ? undefined : html` aria-invalid="true"`
  return html`<form class="search" method="get" action="/admin/accounts" role="search">
<label for="filter">Filter, as in SCIM</label>
<input type="search" id="filter" name="filter" value="${filter}" aria-describedby="filter-help"${invalid}
  autocomplete="off" autocapitalize="none" spellcheck="false">
<p class="fine" id="filter-help">${problem === undefined ? undefined : html`<strong role="alert">${problem}</strong> `}Such as
<code>claims.email ew "@example.org" and active eq true</code></p>
<div><button type="submit">Search</button></div>
</form>`
}

function results({ items, total, next }: UserPage, request: ServerRequest): Markup {
  const subjects = items.map((account) => ({
    address: addressOf('/admin/account', account.userId),
    name: accountName(account),
    state: account.active ? 'active' : 'deactivated',
  }))
  return html`<section aria-labelledby="found">
<h2 id="found">Found: ${String(total)}</h2>
${subjectTable(subjects)}${nextLink(request, next)}
</section>`
}

/** One user with their grants and sessions. */
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
    intro: active ? html`Active.` : html`Deactivated: everything issued to this user is revoked.`,
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
${sessions.map((session) => sessionRow(session, session.clientIds.map(nameOf), address))}
${actButtons(address, sessions.length > 1 ? { act: 'end-sessions', label: 'End all sessions' } : undefined)}
</section>`,
  })
}

/** Handles the buttons of the page. */
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

/** The names of the first 200 clients. Other clients are shown by their identifier. */
async function clientNames({ clients }: Administration): Promise<(clientId: string) => string> {
  const { items } = await clients.list({ limit: 200 })
  const names = new Map(items.map(({ clientId, clientName }) => [clientId as string, clientName]))
  return (clientId) => names.get(clientId) ?? clientId
}

type GrantView = Awaited<ReturnType<Administration['grants']['listOfUser']>>[number]
type SessionView = Awaited<ReturnType<Administration['sessions']['listOfUser']>>[number]

/** A grant, with the button that revokes it. */
const grantRow = (
  { grantId, scopes, resources, createdAt, honoured }: GrantView,
  clientName: string,
  address: string,
): Markup =>
  row(
    { address, act: 'revoke-grant', about: grantId, label: 'Revoke', object: `the grant of ${clientName}` },
    html`<strong>${clientName}</strong>${honoured ? undefined : ' (not honoured)'}<br>
<code>${[...scopes, ...resources].join(' ')}</code><br>
${shownTime(createdAt)}`,
  )

/** A session, with the button that revokes it. */
const sessionRow = (session: SessionView, clientNames: readonly string[], address: string): Markup => {
  const { sessionId, signedInAt, lastSeenAt, expiresAt, amr, userAgent, location } = session
  const device = [userAgent ?? 'Unknown browser', location].filter((part) => part !== undefined).join(', ')
  return row(
    { address, act: 'end-session', about: sessionId, label: 'End', object: `the session in ${device}` },
    html`<strong>${device}</strong><br>
signed in ${shownTime(signedInAt)}${amr.length === 0 ? undefined : ` by ${amr.join(', ')}`}<br>
last used ${shownTime(lastSeenAt)}${
      expiresAt === undefined
        ? undefined
        : html`<br>
ends ${shownTime(expiresAt)}`
    }${
      clientNames.length === 0
        ? undefined
        : html`<br>
signed in to ${clientNames.join(', ')}`
    }`,
  )
}

interface RowButton {
  readonly address: string
  readonly act: string
  /** The identifier of the grant or session. It is not a credential. */
  readonly about: string
  readonly label: string
  /** The object of the button, for screen readers. */
  readonly object: string
}

const row = ({ address, act, about, label, object }: RowButton, text: Markup): Markup =>
  html`<form class="status" method="post" action="${address}">
<p>${text}</p>
<input type="hidden" name="about" value="${about}">
<button type="submit" name="act" value="${act}" aria-label="${label} ${object}">${label}</button>
</form>`

/** The displayed name of a user: the first of these claims (OIDC Core §5.1) that the user has. */
const accountName = ({ claims, userId }: UserView): string =>
  textOf(claims['name']) || textOf(claims['preferred_username']) || textOf(claims['email']) || userId
