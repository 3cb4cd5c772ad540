import type { Logger } from '@mintmark/core/http'

/** Creates a logger that collects the messages in a list and prints nothing. */
export function quietLogger(messages: string[] = []): Logger {
  const collect = (_fields: object, message: string): void => void messages.push(message)
  return { info: collect, warn: collect, error: collect }
}
