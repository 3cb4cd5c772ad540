import type { ScimEvent } from './scim-event.ts'

/**
 * Listens where the host gave no listener: a failure inside the server would otherwise leave no trace. Refusals stay quiet,
 * because anybody can cause as many as they like.
 */
export const reportScimFaults =
  (console: Pick<Console, 'error'>) =>
  (event: ScimEvent): void => {
    if (event.type !== 'request.refused' || event.cause === undefined || event.status < 500) return
    console.error(`Mintmark SCIM: ${event.method} ${event.path} ${event.status} ${event.reason}`, event.cause)
  }
