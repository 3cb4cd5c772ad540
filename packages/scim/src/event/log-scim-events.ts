import { logEvent, type Logger } from '@mintmark/internal'

import type { RevokedAccess, ScimEvent } from './scim-event.ts'

/**
 * Logs each event: a line that says what happened and why, with the event as structured fields. A `console` gets the line only.
 */
export const logScimEvents =
  (logger: Logger) =>
  (event: ScimEvent): void => {
    logEvent(logger, { level: levelOf(event), line: scimEventLine(event), event })
  }

function levelOf(event: ScimEvent): keyof Logger {
  if (warnings.has(event.type)) return 'warn'
  if (event.type !== 'request.refused') return 'info'
  return event.status >= 500 ? 'error' : 'warn'
}

const warnings: ReadonlySet<ScimEvent['type']> = new Set([
  'deprovisioning.suspended',
  'search.near_limit',
  'roles.unmapped',
])

function scimEventLine(event: ScimEvent): string {
  switch (event.type) {
    case 'request.refused':
      return `${event.method} ${event.path} refused: ${event.status} (${event.reason})${refusedPart(event)}`
    case 'user.created':
    case 'user.linked':
    case 'user.changed':
    case 'user.reactivated':
      return `${event.type}: ${event.userId} by ${event.providerId}`
    case 'user.deactivated':
    case 'user.removed':
    case 'user.released':
    case 'user.access_revoked':
      return `${event.type}: ${event.userId} by ${event.providerId}${describeRevoked(event.revoked)}`
    case 'group.created':
    case 'group.changed':
    case 'group.removed':
      return `${event.type}: ${event.groupId} by ${event.providerId}`
    case 'resource.created':
    case 'resource.changed':
    case 'resource.removed':
      return `${event.type}: ${event.resourceType} ${event.resourceId} by ${event.providerId}`
    case 'deprovisioning.suspended':
      return `deprovisioning.suspended: ${event.providerId} has deactivated or removed ${event.count} users, and must wait until an administrator allows more`
    case 'roles.unmapped':
      return `roles.unmapped: ${event.userId} by ${event.providerId} has roles without a rule: ${event.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'search.near_limit':
      return `search.near_limit: a search of ${event.resourceType} resources of ${event.providerId} read more than half of the limit`
    case 'tolerance.applied':
      return `tolerance.applied: ${event.applied.map(({ tolerance, count }) => `${tolerance} ${count}`).join(', ')} for ${event.providerId}`
    default:
      return event satisfies never
  }
}

const describeRevoked = (revoked: RevokedAccess | undefined): string =>
  revoked === undefined ? '' : `; revoked ${revoked.grants.length} grants and ${revoked.sessionIds.length} sessions`

/**
 * Logs internal errors where the host has no listener, because they would otherwise leave no trace. Does not log other
 * refusals, because anybody can cause any number of them.
 */
export const reportScimFaults =
  (console: Pick<Console, 'error'>) =>
  (event: ScimEvent): void => {
    if (event.type !== 'request.refused' || event.cause === undefined || event.status < 500) return
    console.error(`Mintmark SCIM: ${event.method} ${event.path} ${event.status} ${event.reason}`, event.cause)
  }

/** What of the request was refused. */
const refusedPart = ({
  attribute,
  value,
}: {
  readonly attribute: string | undefined
  readonly value?: string
}): string => (attribute === undefined ? '' : `: ${attribute}`) + (value === undefined ? '' : ` "${value}"`)
