import type { Logger } from '@mintmark/core/http'

/** Prints one line for each event. Internal failures are printed with their cause. */
export const logger: Logger = {
  info: (_fields, message) => console.log(message),
  warn: (_fields, message) => console.warn(message),
  error: (fields, message) => console.error(message, fields),
}
