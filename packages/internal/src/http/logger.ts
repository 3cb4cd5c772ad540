/** What is asked of a logger: pino and `console` are ones. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An event as it is logged: how bad it is, one line that says what happened, and itself. */
export interface LoggedEvent {
  readonly level: keyof Logger
  readonly line: string
  readonly event: object
}

/** Writes an event once: a logger has it as the fields of the line. A console, which people read, has the line and what went wrong. */
export function logEvent(logger: Logger, { level, line, event }: LoggedEvent): void {
  const console = consoleOf(logger)
  if (console === undefined) return logger[level](event, line)
  const cause = 'cause' in event ? event.cause : undefined
  return cause === undefined ? console[level](line) : console[level](line, cause)
}

/** No logger draws tables, and every console does. */
const consoleOf = (logger: Logger): Pick<Console, keyof Logger> | undefined => ('table' in logger ? logger : undefined)
