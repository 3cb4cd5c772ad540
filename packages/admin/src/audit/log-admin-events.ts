import { logEvent, type Logger } from '@mintmark/core/http'

import type { AdminEvent } from './admin-event.ts'

/** Writes each event once: a line that says who did what, or was refused it, and the event itself as its fields. A `console` has the line alone. */
export const logAdminEvents =
  (logger: Logger) =>
  (event: AdminEvent): void => {
    switch (event.type) {
      case 'act.refused':
        return logEvent(logger, {
          level: event.cause === undefined ? 'warn' : 'error',
          line: `${event.act} of ${event.target.id} refused: ${event.reason}`,
          event,
        })
      case 'request.refused':
        return logEvent(logger, {
          level: event.status >= 500 ? 'error' : 'warn',
          line: `${event.method} ${event.path} refused: ${event.status} (${event.reason})`,
          event,
        })
      default:
        return logEvent(logger, {
          level: event.logged === 'whole' ? 'info' : 'error',
          line: `${event.type}: ${event.target.id} by ${event.actor.kind} ${event.actor.id}`,
          event,
        })
    }
  }
