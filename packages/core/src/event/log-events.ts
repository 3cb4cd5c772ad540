import type { RefusalReason } from '../error/refusal-reason.ts'
import type { EventListener } from './journal.ts'

/** The two methods that are asked of a logger; pino, winston and `console` have them. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes each event as one line: why was this refused, and for whom. */
export const logEvents =
  (logger: Logger): EventListener =>
  (event) => {
    if (event.type === 'option.unsafe') return logger.warn(event, `unsafe option ${event.option}: ${event.advice}`)
    if (event.type !== 'request.refused') return logger.info(event, event.type)
    const message = `${event.method} ${event.path} refused: ${event.code} (${event.reason})`
    const isOurFault = event.code === 'server_error' || storageFaults.has(event.reason)
    return isOurFault ? logger.error(event, message) : logger.warn(event, message)
  }

/** Storage returned a code without a part of it: clients are refused for no fault of theirs until the store is mended. */
const storageFaults: ReadonlySet<RefusalReason> = new Set(['code_challenge_lost', 'code_incomplete'])
