import type { Logger } from '@mintmark/core/http'

/** A logger that remembers the last lines besides writing them. */
export interface RecentLines {
  readonly logger: Logger
  /** Newest first. */
  list(): readonly string[]
}

/** Lines of events name clients, accounts and reasons, and never a secret. They are gone when the process ends. */
export function rememberLines(logger: Logger): RecentLines {
  const lines: string[] = []
  const remember =
    (level: keyof Logger): Logger[keyof Logger] =>
    (fields, message) => {
      lines.unshift(message)
      lines.length = Math.min(lines.length, mostLines)
      logger[level](fields, message)
    }
  const remembering = { info: remember('info'), warn: remember('warn'), error: remember('error') }
  return { logger: remembering, list: () => [...lines] }
}

const mostLines = 50
