import { epochSeconds } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { logScimEvents } from './log-scim-events.ts'
import type { ScimOccurrence } from './scim-event.ts'

const refused = {
  type: 'request.refused',
  method: 'GET',
  path: '/Users',
  reason: 'filter_syntax',
  cause: undefined,
} as const
const subject = { providerId: 'acme', userId: 'u1' }

test.each<readonly [ScimOccurrence, level: string, line: string]>([
  [{ type: 'user.created', ...subject }, 'info', 'user.created: u1 by acme'],
  [
    {
      type: 'user.deactivated',
      ...subject,
      revoked: { grants: [{ grantId: 'g', clientId: 'c' }], sessionIds: ['s', 't'] },
    },
    'info',
    'user.deactivated: u1 by acme; revoked 1 grants and 2 sessions',
  ],
  [{ type: 'user.removed', ...subject, revoked: undefined }, 'info', 'user.removed: u1 by acme'],
  [{ type: 'group.changed', providerId: 'acme', groupId: 'g1' }, 'info', 'group.changed: g1 by acme'],
  [
    { type: 'resource.created', providerId: 'acme', resourceType: 'Device', resourceId: 'd1' },
    'info',
    'resource.created: Device d1 by acme',
  ],
  [
    { type: 'roles.unmapped', providerId: 'acme', userId: 'u1', values: ['Intern'] },
    'warn',
    'roles.unmapped: u1 by acme has roles without a rule: "Intern"',
  ],
  [
    { type: 'search.near_limit', providerId: 'acme', resourceType: 'User' },
    'warn',
    'search.near_limit: a search of User resources of acme read more than half of the limit',
  ],
  [
    { type: 'tolerance.applied', providerId: 'acme', applied: [{ tolerance: 'boolean-as-text', count: 2 }] },
    'info',
    'tolerance.applied: boolean-as-text 2 for acme',
  ],
  [{ ...refused, status: 400, attribute: undefined }, 'warn', 'GET /Users refused: 400 (filter_syntax)'],
  [{ ...refused, status: 400, attribute: 'emails' }, 'warn', 'GET /Users refused: 400 (filter_syntax): emails'],
  [{ ...refused, status: 503, attribute: undefined }, 'error', 'GET /Users refused: 503 (filter_syntax)'],
])('logs %j as one line', (occurrence, level, line) => {
  const lines: string[] = []
  const write = (at: string) => (_fields: object, message: string) => void lines.push(`${at} ${message}`)

  logScimEvents({ info: write('info'), warn: write('warn'), error: write('error') })({
    ...occurrence,
    at: epochSeconds(1),
    correlationId: 'c',
    requestId: undefined,
  })

  expect(lines).toEqual([`${level} ${line}`])
})
