import { eventLine } from './event-line.ts'
import type { EventListener } from './journal.ts'

/**
 * Listens where the host gave no listener. A failure answers with a sentence that tells nothing, so that without this it
 * would leave no trace at all. Refusals stay quiet: a stranger can cause as many as they like.
 */
export const reportFaults =
  (console: Pick<Console, 'warn' | 'error'>): EventListener =>
  (event) => {
    if (event.type === 'option.unsafe') return console.warn(`Mintmark: ${eventLine(event)}`)
    if (event.type === 'request.refused' && event.cause !== undefined)
      console.error(`Mintmark: ${eventLine(event)}`, event.cause)
  }
