import type { Logger } from '@mintmark/core/http'

/** A logger that keeps the messages in the list, and says nothing. */
export function quietLogger(messages: string[] = []): Logger {
  const keep = (_fields: object, message: string): void => void messages.push(message)
  return { info: keep, warn: keep, error: keep }
}
