import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { reportFaults } from './report-faults.ts'
import type { ServerEvent } from './server-event.ts'

const at = { at: epochSeconds(7), correlationId: 'c' }
const refused = { type: 'request.refused', method: 'GET', path: '/jwks', context: {}, ...at } as const

function printed(event: ServerEvent): readonly unknown[][] {
  const lines: unknown[][] = []
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line])
  void reportFaults({ warn: write('warn'), error: write('error') })(event)
  return lines
}

it('a failure inside a server without a listener is seen, with its cause', () => {
  const cause = new Error('sealed with another key')

  expect(printed({ ...refused, code: 'server_error', reason: 'unexpected_failure', cause })).toEqual([
    ['error', 'Mintmark: GET /jwks refused: server_error (unexpected_failure)', cause],
  ])
})

it('an unsafe option of a server without a listener is seen', () => {
  expect(printed({ type: 'option.unsafe', option: 'issuer', advice: 'Plain http.', ...at })).toEqual([
    ['warn', 'Mintmark: unsafe option issuer: Plain http.'],
  ])
})

it('nothing that a stranger can cause is written', () => {
  expect(printed({ ...refused, code: 'invalid_client', reason: 'client_unknown', cause: undefined })).toEqual([])
  expect(printed({ type: 'userinfo.answered', clientId: 'A', userId: 'U', ...at })).toEqual([])
})
