import { epochSeconds } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { type AdminEvent, reportAdminFaults } from './admin-event.ts'

const stamp = { at: epochSeconds(0), correlationId: 'c1', requestId: undefined }
const actor = { kind: 'host', id: 'operator' } as const
const target = { kind: 'user', id: 'ann' } as const
const done = { ...stamp, type: 'user.deactivated', actor, target, before: undefined, after: undefined } as const
const refused = { ...stamp, type: 'action.refused', action: 'user.deactivated', actor, target } as const

/** Returns what the default listener reports of an event. */
function reported(event: AdminEvent): readonly unknown[] {
  const calls: unknown[] = []
  reportAdminFaults({ error: (...call: unknown[]) => void calls.push(call) })(event)
  return calls
}

test.each(['intent', 'outcome', 'nothing'] as const)(
  'the default listener reports an action of which the audit log has recorded %s',
  (logged) => {
    expect(reported({ ...done, logged })).toEqual([
      ['Mintmark admin: the audit log has not recorded all of user.deactivated of ann by host operator'],
    ])
  },
)

test('the default listener reports internal failures, and neither logged actions nor ordinary refusals', () => {
  const cause = new Error('disk full')

  expect(reported({ ...done, logged: 'whole' })).toEqual([])
  expect(reported({ ...refused, reason: 'user_unknown', cause: undefined })).toEqual([])
  expect(reported({ ...refused, reason: 'unexpected_failure', cause })).toEqual([
    ['Mintmark admin: unexpected_failure', cause],
  ])
})
