import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import {
  clientTile,
  renderClient,
  renderName,
  shownLogo,
  type ClientWithLogo,
  type ShownClient,
} from './client-display.ts'
import { dateOf } from './date.ts'
import { address, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { standardScopes } from './languages/english.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'

interface AccountPageInput extends Look {
  /** The apps that `createConnectedApps` lists. */
  readonly apps: readonly ListedApp[]
  /** The sessions that `sessions.list` or `server.listSessions` lists. */
  readonly sessions: readonly ListedSession[]
  /** The session of this request; the page marks it. */
  readonly currentSessionId?: string | undefined
  /** Sentences that describe the host's own scopes, by scope value. */
  readonly scopes?: Readonly<Record<string, string>> | undefined
}

interface ListedApp extends ClientWithLogo {
  readonly grantId: string
  readonly scopes: readonly string[]
  /** In seconds since 1970. */
  readonly since: number
  /** The name of the app links to it: `initiateLoginUrl` of `createConnectedApps`. */
  readonly initiateLoginUrl?: string | undefined
}

interface ListedSession {
  readonly sessionId: string
  /** In seconds since 1970. */
  readonly signedInAt: number
  /** In seconds since 1970. */
  readonly lastSeenAt: number
  readonly userAgent?: string | undefined
  readonly location?: string | undefined
  readonly clients: readonly ShownClient[]
}

/**
 * Renders the applications that a user has connected, and the sessions in which the user is signed in. The form posts one of
 * these fields to the address of the page: `app` (a grant to revoke), `session` (a session to end) or `others` (end all
 * sessions but this one).
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function accountPage(input: AccountPageInput, request?: RequestHead): ServerResponse {
  const { apps, sessions, currentSessionId, scopes = {}, ...look } = input
  const messages = messagesFor(look, request)
  const { account } = messages
  const hasOthers = sessions.some(({ sessionId }) => sessionId !== currentSessionId)
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${account.title}</h1>
</header>
<form method="post">
<div class="columns">
<section aria-labelledby="apps">
<h2 id="apps">${account.appsHeading}</h2>
${apps.length === 0 ? html`<p class="fine">${account.noApps}</p>` : undefined}
<ul class="scopes">${apps.map((app) => appRow(app, messages, scopes))}</ul>
</section>
<section aria-labelledby="sessions">
<h2 id="sessions">${account.sessionsHeading}</h2>
<ul class="scopes">${sessions.map((session) => sessionRow(session, messages, session.sessionId === currentSessionId))}</ul>
</section>
</div>
${hasOthers ? html`<button type="submit" name="others" value="yes">${icon('leave')}${account.endOthers}</button>` : undefined}
</form>`
  return page({
    brand: look.brand,
    messages,
    title: account.title,
    status: 200,
    formAction: 'self',
    images: apps.flatMap((app) => shownLogo(app) ?? []),
    body,
  })
}

function appRow(app: ListedApp, messages: Messages, hostScopes: Readonly<Record<string, string>>): Fragment {
  const { account, lang, consent } = messages
  const sentences = new Map(Object.entries({ ...standardScopes, ...hostScopes, ...consent.scopes }))
  const name = renderClient(app, messages.unnamedClient)
  const { initiateLoginUrl: url } = app
  return html`<li class="row entry">
${clientTile(app)}
<div>
<strong id="app-${app.grantId}">${url === undefined ? name : html`<a ${address('href', url)}>${name}</a>`}</strong>
${app.scopes.map((scope) => html`<small><bdi>${sentences.get(scope) ?? scope}</bdi></small>`)}
<small>${fill(account.appSince, { date: dateOf(app.since, lang) })}</small>
</div>
<button type="submit" name="app" value="${app.grantId}" aria-describedby="app-${app.grantId}">${account.disconnect}</button>
</li>`
}

function sessionRow(session: ListedSession, messages: Messages, isCurrent: boolean): Fragment {
  const { sessionId, userAgent, location, clients, signedInAt, lastSeenAt } = session
  const { account, lang } = messages
  const names = clients.map(
    (client, at) => html`${at === 0 ? undefined : ', '}${renderClient(client, messages.unnamedClient)}`,
  )
  return html`<li class="row entry">
<div>
<strong id="session-${sessionId}">${renderName(userAgent ?? '', account.unknownBrowser)}</strong>
${isCurrent ? html`<small><b>${account.thisBrowser}</b></small>` : undefined}
${location === undefined ? undefined : html`<small>${renderName(location, '')}</small>`}
<small>${fill(account.sessionTimes, { since: dateOf(signedInAt, lang), used: dateOf(lastSeenAt, lang) })}</small>
${names.length === 0 ? undefined : html`<small>${fill(account.sessionApps, { names: html`${names}` })}</small>`}
</div>
<button type="submit" name="session" value="${sessionId}" aria-describedby="session-${sessionId}">${account.endSession}</button>
</li>`
}
