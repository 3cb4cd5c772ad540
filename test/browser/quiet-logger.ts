import type { Logger } from '@mintmark/core/http'

/** A logger that collects the messages in a list and prints nothing. */
export function quietLogger(messages: string[] = []): Logger {
  const keep = (_fields: object, message: string): void => void messages.push(message)
  return { info: keep, warn: keep, error: keep }
}
