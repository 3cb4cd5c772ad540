import { AdminError, type Administration, type UserView } from '@mintmark/admin'
import { redirect, type ServerRequest } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import {
  adminResponse,
  addressOf,
  nextLink,
  pageRequestOf,
  recordTable,
  actionButtons,
  recordIdOf,
  readPostedAction,
  unknownAction,
  dangerClass,
  formatTime,
  type AdminPage,
} from './admin-page.ts'

/** Lists the users, or the users that match a filter. */
export const usersPage: AdminPage = async ({ request, admin }) => {
  const text = request.url.searchParams.get('filter') ?? ''
  const found = await search({ ...pageRequestOf(request), filter: toFilter(text) }, admin)
  const isFound = 'items' in found
  return adminResponse({
    title: 'Accounts',
    section: '/admin/accounts',
    intro: html`The host’s own users, and users that a directory provisions.`,
    body: html`${searchForm(text, isFound ? undefined : found.problem)}${isFound ? results(found, request) : undefined}`,
    status: isFound ? 200 : 400,
  })
}

type UserPage = Awaited<ReturnType<Administration['users']['list']>>
type Search = ReturnType<typeof pageRequestOf> & { readonly filter: string }
type SearchOutcome = UserPage | { readonly problem: string }

/** Searches for users. An invalid filter is reported next to its field; other refusals are shown on a separate page. */
async function search({ filter, ...page }: Search, { users }: Administration): Promise<SearchOutcome> {
  try {
    return await users.list(filter === '' ? page : { ...page, filter })
  } catch (error) {
    if (error instanceof AdminError && error.reason.startsWith('filter_')) return { problem: error.detail }
    throw error
  }
}

/** Returns the filter for a text: the text itself if it has an operator of SCIM, otherwise a search for the words in a name. */
function toFilter(text: string): string {
  if (text.trim() === '' || /\s(?:eq|ne|co|sw|ew|gt|ge|lt|le|pr)\b|[()"]/i.test(text)) return text
  const value = JSON.stringify(text.trim())
  return ['name', 'preferred_username', 'email'].map((claim) => `claims.${claim} co ${value}`).join(' or ')
}

function searchForm(filter: string, problem: string | undefined): Markup {
  const invalid = problem === undefined ? undefined : html` aria-invalid="true"`
  return html`<form class="search" method="get" action="/admin/accounts" role="search">
<label for="filter">Name, username or email</label>
<input type="search" id="filter" name="filter" value="${filter}" aria-describedby="filter-help"${invalid}
  autocomplete="off" autocapitalize="none" spellcheck="false">
<p class="fine" id="filter-help">${problem === undefined ? undefined : html`<strong role="alert">${problem}</strong> `}Or a filter as in SCIM,
such as <code>claims.email ew "@example.org" and active eq true</code></p>
<div><button type="submit">Search</button></div>
</form>`
}

function results({ items, total, next }: UserPage, request: ServerRequest): Markup {
  const records = items.map((user) => ({
    address: addressOf('/admin/account', user.userId),
    name: displayNameOf(user),
    state: user.active ? 'active' : 'deactivated',
  }))
  return html`<section aria-labelledby="found">
<h2 id="found">Accounts found: ${String(total)}</h2>
${recordTable(records)}${nextLink(request, next)}
</section>`
}

/** Shows one user with their grants and sessions. */
export const userPage: AdminPage = async ({ request, admin }) => {
  const user = await admin.users.read(recordIdOf(request))
  const { userId, active, claims, createdAt } = user
  const address = addressOf('/admin/account', userId)
  const grants = await admin.grants.listOfUser(userId)
  const sessions = await admin.sessions.listOfUser(userId)
  const nameOf = await clientNames(admin)
  return adminResponse({
    title: displayNameOf(user),
    section: '/admin/accounts',
    intro: active ? html`Active.` : html`Deactivated: everything issued to this user is revoked.`,
    body: html`<section aria-labelledby="account">
<h2 id="account">Account</h2>
<dl>
<dt>Identifier</dt><dd><code>${userId}</code></dd>
<dt>Username</dt><dd>${textOf(claims['preferred_username'])}</dd>
<dt>Email</dt><dd>${textOf(claims['email'])}</dd>
<dt>Created</dt><dd>${formatTime(createdAt)}</dd>
</dl>
${actionButtons(address, active ? { action: 'deactivate', label: 'Deactivate' } : { action: 'reactivate', label: 'Reactivate' })}
</section>
<section aria-labelledby="grants">
<h2 id="grants">Grants</h2>
${grants.length === 0 ? html`<p>This user has not granted access to any app.</p>` : undefined}
${grants.map((grant) => grantRow(grant, nameOf(grant.clientId), address))}
${actionButtons(address, grants.length > 1 ? { action: 'revoke-grants', label: 'Revoke all grants' } : undefined)}
</section>
<section aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
${sessions.length === 0 ? html`<p>This user is not signed in anywhere.</p>` : undefined}
${sessions.map((session) => sessionRow(session, session.clientIds.map(nameOf), address))}
${actionButtons(address, sessions.length > 1 ? { action: 'end-sessions', label: 'End all sessions' } : undefined)}
</section>`,
  })
}

/** Handles the buttons of the page. */
export const handleUserAction: AdminPage = async ({ request, admin: { users, grants, sessions } }) => {
  const userId = recordIdOf(request)
  const { action, itemId } = readPostedAction(request)
  switch (action) {
    case 'deactivate':
      await users.deactivate(userId)
      break
    case 'reactivate':
      await users.reactivate(userId)
      break
    case 'revoke-grant':
      await grants.revoke({ userId, grantId: itemId })
      break
    case 'revoke-grants':
      await grants.revokeAllOfUser(userId)
      break
    case 'end-session':
      await sessions.revoke({ userId, sessionId: itemId })
      break
    case 'end-sessions':
      await sessions.revokeAllOfUser(userId)
      break
    default:
      throw unknownAction()
  }
  return redirect(addressOf('/admin/account', userId))
}

/** Reads the names of the first 200 clients. For any other client, the returned function returns its identifier. */
export async function clientNames({ clients }: Administration): Promise<(clientId: string) => string> {
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
    honoured && {
      address,
      action: 'revoke-grant',
      itemId: grantId,
      label: 'Revoke',
      object: `the grant of ${clientName}`,
    },
    html`<strong>${clientName}</strong>${honoured ? undefined : ' (not in effect)'}<br>
<code>${[...scopes, ...resources].join(' ')}</code><br>
${formatTime(createdAt)}`,
  )

/** Renders a session, with the button that revokes it. */
const sessionRow = (session: SessionView, clientNames: readonly string[], address: string): Markup => {
  const { sessionId, signedInAt, lastSeenAt, expiresAt, amr, userAgent, location } = session
  const device = [userAgent ?? 'Unknown browser', location].filter((part) => part !== undefined).join(', ')
  return row(
    { address, action: 'end-session', itemId: sessionId, label: 'End', object: `the session in ${device}` },
    html`<strong>${device}</strong><br>
signed in ${formatTime(signedInAt)}${amr.length === 0 ? undefined : ` by ${amr.join(', ')}`}<br>
last used ${formatTime(lastSeenAt)}${
      expiresAt === undefined
        ? undefined
        : html`<br>
ends ${formatTime(expiresAt)}`
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
  readonly action: string
  /** The identifier of the grant or session. It is not a credential. */
  readonly itemId: string
  readonly label: string
  /** What the button acts on, for screen readers. */
  readonly object: string
}

/** Returns a row with its button; without one if there is nothing left to take away. */
function row(button: RowButton | false, text: Markup): Markup {
  if (button === false) return html`<div class="status"><p>${text}</p></div>`
  const { address, action, itemId, label, object } = button
  return html`<form class="status" method="post" action="${address}">
<p>${text}</p>
<input type="hidden" name="about" value="${itemId}">
<button${dangerClass(action)} type="submit" name="act" value="${action}" aria-label="${label} ${object}">${label}</button>
</form>`
}

/** Returns the displayed name of a user: the first of these claims (OIDC Core §5.1) that the user has. */
const displayNameOf = ({ claims, userId }: UserView): string =>
  textOf(claims['name']) || textOf(claims['preferred_username']) || textOf(claims['email']) || userId
