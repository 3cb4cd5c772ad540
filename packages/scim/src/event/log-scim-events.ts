import type { EndedAccess, ScimEvent } from './scim-event.ts'

/** What is asked of a logger: pino and `console` are ones. */
interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes each event once: a line that says what happened and why, and the event itself as its fields. */
export const logScimEvents =
  (logger: Logger) =>
  (event: ScimEvent): void => {
    const line = scimEventLine(event)
    if (event.type === 'offboarding.held') return logger.warn(event, line)
    if (event.type !== 'request.refused') return logger.info(event, line)
    return event.status >= 500 ? logger.error(event, line) : logger.warn(event, line)
  }

function scimEventLine(event: ScimEvent): string {
  switch (event.type) {
    case 'request.refused':
      return `${event.method} ${event.path} refused: ${event.status} (${event.reason})${event.attribute === undefined ? '' : `: ${event.attribute}`}`
    case 'account.created':
    case 'account.linked':
    case 'account.changed':
    case 'account.reactivated':
      return `${event.type}: ${event.userId} by ${event.providerId}`
    case 'account.deactivated':
    case 'account.removed':
    case 'account.released':
      return `${event.type}: ${event.userId} by ${event.providerId}${receipt(event.ended)}`
    case 'group.created':
    case 'group.changed':
    case 'group.removed':
      return `${event.type}: ${event.groupId} by ${event.providerId}`
    case 'offboarding.held':
      return `offboarding.held: ${event.providerId} has ended ${event.count} accounts, and may end no more until an administrator lets it`
    case 'tolerance.applied':
      return `tolerance.applied: ${event.applied.map(({ tolerance, count }) => `${tolerance} ${count}`).join(', ')} for ${event.providerId}`
    default:
      return event satisfies never
  }
}

const receipt = (ended: EndedAccess | undefined): string =>
  ended === undefined ? '' : `; ended ${ended.grants.length} grants and ${ended.sessionIds.length} sessions`
