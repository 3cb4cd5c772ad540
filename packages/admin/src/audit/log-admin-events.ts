import type { AdminEvent } from './admin-event.ts'

/** What is asked of a logger: pino and `console` are ones. */
interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes each event once: a line that says who did what, or was refused it, and the event itself as its fields. */
export const logAdminEvents =
  (logger: Logger) =>
  (event: AdminEvent): void => {
    switch (event.type) {
      case 'act.refused':
        return logger[event.cause === undefined ? 'warn' : 'error'](
          event,
          `${event.act} of ${event.target.id} refused: ${event.reason}`,
        )
      case 'request.refused':
        return logger[event.status >= 500 ? 'error' : 'warn'](
          event,
          `${event.method} ${event.path} refused: ${event.status} (${event.reason})`,
        )
      default:
        return logger[event.logged === 'whole' ? 'info' : 'error'](
          event,
          `${event.type}: ${event.target.id} by ${event.actor.kind} ${event.actor.id}`,
        )
    }
  }
