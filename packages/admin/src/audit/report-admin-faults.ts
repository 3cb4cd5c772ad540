import type { AdminEvent } from './admin-event.ts'

/**
 * Listens where the host gave no listener: a failure inside the server, and an act of which the log lacks a part,
 * would otherwise leave no trace.
 */
export const reportAdminFaults =
  (console: Pick<Console, 'error'>) =>
  (event: AdminEvent): void => {
    if (event.type === 'act.refused' || event.type === 'request.refused') {
      if (event.cause !== undefined) console.error(`Mintmark admin: ${event.reason}`, event.cause)
    } else if (event.logged !== 'whole') {
      console.error(
        `Mintmark admin: ${event.type} of ${event.target.id} by ${event.actor.kind} ${event.actor.id} is not in the log as a whole`,
      )
    }
  }
