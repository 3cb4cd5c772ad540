import type { LogEntryView } from '@mintmark/admin'
import type { Logger } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import type { Users } from '../starter/users.ts'
import { adminResponse, nextLink, pageRequestOf, shownTime, type AdminPage } from './admin-page.ts'

/** What administrators did, from the log in storage, and what the server told since it was started. */
export const eventsPage =
  ({ users, recent }: { readonly users: Users; readonly recent: RecentLines }): AdminPage =>
  async ({ request, admin }) => {
    const { items, next } = await admin.audit.list(pageRequestOf(request))
    return adminResponse({
      title: 'Events',
      part: '/admin/events',
      intro: html`Of each act there are two entries: that it was intended, and what came of it.`,
      body: html`<section aria-labelledby="acts">
<h2 id="acts">What administrators did</h2>
<ul class="entries">${items.map((entry) => actEntry(entry, users))}</ul>
${nextLink(request, next)}
</section>
<section aria-labelledby="recent">
<h2 id="recent">What happened since the start</h2>
<ul class="entries">${recent.list().map((line) => html`<li>${line}</li>`)}</ul>
</section>`,
    })
  }

function actEntry({ type, at, detail }: LogEntryView, users: Users): Markup {
  const [actor, target] = [idIn(detail['actor']), idIn(detail['target'])]
  const reason = detail['reason'] === undefined ? '' : ` (${textOf(detail['reason'])})`
  return html`<li><strong>${type}</strong> ${textOf(detail['stage'])}${reason}<br>
<code>${target}</code><br>by ${users.find(actor)?.username ?? actor}, ${shownTime(at)}</li>`
}

const idIn = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : ''

/** A logger that remembers the last lines besides writing them. */
export interface RecentLines {
  readonly logger: Logger
  /** Newest first. */
  list(): readonly string[]
}

/** Lines of events name clients, accounts and reasons, and never a secret. They are gone when the process ends. */
export function rememberLines(logger: Logger): RecentLines {
  const lines: string[] = []
  const remember =
    (level: keyof Logger): Logger[keyof Logger] =>
    (fields, message) => {
      lines.unshift(message)
      lines.length = Math.min(lines.length, mostLines)
      logger[level](fields, message)
    }
  const remembering = { info: remember('info'), warn: remember('warn'), error: remember('error') }
  return { logger: remembering, list: () => [...lines] }
}

const mostLines = 50
