import type { ConnectedApp, SessionSummary } from '@mintmark/core'
import { noStore, type ServerResponse } from '@mintmark/core/http'

/** Use any template engine that escapes: client names come from client developers. */
export const accountHtml = (
  apps: readonly ConnectedApp[],
  sessions: readonly SessionSummary[],
  present: string,
): ServerResponse => ({
  status: 200,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ...noStore,
  ],
  body: `<!doctype html><html lang="en"><title>Your account</title><form method="post"><h1>Connected apps</h1><ul>${apps
    .map(({ grantId, clientName, scopes, since }) =>
      item(`${clientName}: ${scopes.join(', ')}, since ${dateOf(since)}`, `name="app" value="${grantId}"`),
    )
    .join('')}</ul><h1>Where you are signed in</h1><ul>${sessions
    .map((session) => item(sessionText(session, present), `name="session" value="${session.sessionId}"`))
    .join('')}</ul><button name="others" value="yes">Sign out everywhere else</button></form></html>`,
})

const sessionText = ({ sessionId, userAgent, location, ...session }: SessionSummary, present: string): string =>
  [
    `${userAgent ?? 'Unknown browser'}${sessionId === present ? ' (this one)' : ''}`,
    ...(location === undefined ? [] : [location]),
    `since ${dateOf(session.signedInAt)}, last used ${dateOf(session.lastSeenAt)}`,
    ...session.clients.map(({ clientName }) => `signed in to ${clientName}`),
  ].join('; ')

const item = (text: string, button: string): string => `<li>${escapeHtml(text)} <button ${button}>End</button></li>`

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
