import type { RefusalReason } from '../error/refusal-reason.ts'
import { eventLine } from './event-line.ts'
import type { EventListener } from './journal.ts'

/** What is asked of a logger: pino and `console` are ones. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes each event once: a line that says what happened, for which client and why, and the event itself as its fields. */
export const logEvents =
  (logger: Logger): EventListener =>
  (event) => {
    const line = eventLine(event)
    if (event.type === 'option.unsafe') return logger.warn(event, line)
    if (event.type !== 'request.refused') return logger.info(event, line)
    const isOurFault = event.code === 'server_error' || storageFaults.has(event.reason)
    return isOurFault ? logger.error(event, line) : logger.warn(event, line)
  }

/** Storage returned a code without a part of it: clients are refused for no fault of theirs until the store is mended. */
const storageFaults: ReadonlySet<RefusalReason> = new Set(['code_challenge_lost', 'code_incomplete'])
