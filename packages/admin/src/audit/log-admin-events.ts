import { logEvent, type Logger } from '@mintmark/internal'

import type { AdminEvent } from './admin-event.ts'

/**
 * Creates a listener that writes one log entry for each event: a line that says who did what, with the event as its
 * fields. With `console` as the logger only the line is written.
 */
export const logAdminEvents =
  (logger: Logger) =>
  (event: AdminEvent): void => {
    switch (event.type) {
      case 'action.refused':
        return logEvent(logger, {
          level: event.cause === undefined ? 'warn' : 'error',
          line: `${event.action} of ${event.target.id} refused: ${event.reason}`,
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

/**
 * Creates the listener of a host that has set none. It reports internal failures and actions with missing log entries,
 * which would otherwise leave no trace.
 */
export const reportAdminFaults =
  (console: Pick<Console, 'error'>) =>
  (event: AdminEvent): void => {
    if (event.type === 'action.refused' || event.type === 'request.refused') {
      if (event.cause !== undefined) console.error(`Mintmark admin: ${event.reason}`, event.cause)
    } else if (event.logged !== 'whole') {
      console.error(
        `Mintmark admin: the log entries of ${event.type} of ${event.target.id} by ${event.actor.kind} ${event.actor.id} are not complete`,
      )
    }
  }
