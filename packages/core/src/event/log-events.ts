import { logEvent, type Logger } from '@mintmark/internal'
import { eventLine } from './event-line.ts'
import type { EventListener } from './journal.ts'
import type { ServerEvent } from './server-event.ts'
import type { RefusalReason } from '../refusals.ts'

/**
 * Writes each event once: a line that says what happened, for which client and why, and the event itself as its fields. A `console`
 * has the line alone.
 */
export const logEvents =
  (logger: Logger): EventListener =>
  (event) => {
    logEvent(logger, { level: levelOf(event), line: eventLine(event), event })
  }

function levelOf(event: ServerEvent): keyof Logger {
  if (event.type === 'option.unsafe') return 'warn'
  if (event.type !== 'request.refused') return 'info'
  return event.code === 'server_error' || storageFaults.has(event.reason) ? 'error' : 'warn'
}

/** Storage returned a code without a part of it: clients are refused for no fault of theirs until the store is mended. */
const storageFaults: ReadonlySet<RefusalReason> = new Set(['code_challenge_lost', 'code_incomplete'])
