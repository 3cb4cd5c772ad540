import type { LogEntryView } from '@mintmark/admin'
import type { Logger } from '@mintmark/core/http'

import { html, textOf, type Markup } from '../site/html.ts'
import type { Users } from '../starter.ts'
import { adminResponse, nextLink, pageRequestOf, formatTime, type AdminPage } from './admin-page.ts'

/** Shows the actions of administrators from the audit log, and the events since the server was started. */
export const eventsPage =
  ({ users, recent }: { readonly users: Users; readonly recent: RecentLines }): AdminPage =>
  async ({ request, admin }) => {
    const { items, next } = await admin.audit.list(pageRequestOf(request))
    return adminResponse({
      title: 'Events',
      section: '/admin/events',
      intro: html`Each action has two entries: one before it is carried out, and one with its outcome.`,
      body: html`<section aria-labelledby="acts">
<h2 id="acts">Actions of administrators</h2>
<ul class="entries">${items.map((entry) => auditEntry(entry, users))}</ul>
${nextLink(request, next)}
</section>
<section aria-labelledby="recent">
<h2 id="recent">Events since the start</h2>
<ul class="entries">${recent.list().map((line) => html`<li>${line}</li>`)}</ul>
</section>`,
    })
  }

function auditEntry({ type, at, detail }: LogEntryView, users: Users): Markup {
  const [actor, target] = [idIn(detail['actor']), idIn(detail['target'])]
  const reason = detail['reason'] === undefined ? '' : ` (${textOf(detail['reason'])})`
  return html`<li><strong>${type}</strong> ${textOf(detail['stage'])}${reason}<br>
<code>${target}</code><br>by ${users.find(actor)?.username ?? actor}, ${formatTime(at)}</li>`
}

const idIn = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : ''

/** A logger that also keeps the last lines. */
export interface RecentLines {
  readonly logger: Logger
  /** Newest first. */
  list(): readonly string[]
}

/** Keeps the last lines in memory. Lines contain clients, users and reasons, and never secrets. */
export function rememberLines(logger: Logger): RecentLines {
  const lines: string[] = []
  const remember =
    (level: keyof Logger): Logger[keyof Logger] =>
    (fields, message) => {
      lines.unshift(message)
      lines.length = Math.min(lines.length, maxLines)
      logger[level](fields, message)
    }
  const remembering = { info: remember('info'), warn: remember('warn'), error: remember('error') }
  return { logger: remembering, list: () => [...lines] }
}

const maxLines = 50
