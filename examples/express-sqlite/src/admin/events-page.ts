import type { LogEntryView } from '@mintmark/admin'
import type { Logger } from '@mintmark/core/http'
import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import { html, textOf, type Markup } from '../site/html.ts'
import type { Users } from '../starter.ts'
import { adminResponse, nextLink, pageRequestOf, formatTime, type AdminPage } from './admin-page.ts'
import { clientNames } from './user-pages.ts'

/** Shows the actions of administrators from the audit log, and the events since the server was started. */
export const eventsPage =
  ({ users, recent }: { readonly users: Users; readonly recent: RecentLines }): AdminPage =>
  async ({ request, admin }) => {
    const { items, next } = await admin.audit.list(pageRequestOf(request))
    const clientName = await clientNames(admin)
    // Lines contain identifiers, which nobody recognizes.
    const named = (line: string): string =>
      line.replaceAll(/[\w-]{8,}/g, (word) => users.find(word)?.username ?? clientName(word))
    return adminResponse({
      title: 'Events',
      section: '/admin/events',
      intro: html`Each action has two entries: one before it is carried out, and one with its outcome.`,
      body: html`<section aria-labelledby="acts">
<h2 id="acts">Actions of administrators</h2>
${items.length === 0 ? html`<p>None yet.</p>` : undefined}
<ul class="entries">${items.map((entry) => auditEntry(entry, users))}</ul>
${nextLink(request, next)}
</section>
<section aria-labelledby="recent">
<h2 id="recent">Events since the start</h2>
${recent.list().length === 0 ? html`<p>None yet.</p>` : undefined}
<ul class="entries">${recent.list().map(({ at, line }) => html`<li>${formatTime(at)} ${named(line)}</li>`)}</ul>
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
  list(): readonly RecentLine[]
}

interface RecentLine {
  readonly at: EpochSeconds
  readonly line: string
}

/** Keeps the last lines in memory. Lines contain clients, users and reasons, and never secrets. */
export function rememberLines(logger: Logger): RecentLines {
  const lines: RecentLine[] = []
  const remember =
    (level: keyof Logger): Logger[keyof Logger] =>
    (fields, message) => {
      lines.unshift({ at: epochSeconds(Date.now() / 1000), line: message })
      lines.length = Math.min(lines.length, maxLines)
      logger[level](fields, message)
    }
  const remembering = { info: remember('info'), warn: remember('warn'), error: remember('error') }
  return { logger: remembering, list: () => [...lines] }
}

const maxLines = 50
