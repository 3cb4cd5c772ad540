import type { Logger } from '@mintmark/core/http'

/** One line for each thing that happens; what failed inside comes with its cause. */
export const logger: Logger = {
  info: (_fields, message) => console.log(message),
  warn: (_fields, message) => console.warn(message),
  error: (fields, message) => console.error(message, fields),
}
