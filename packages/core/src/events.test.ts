import { systemRandom, type ServerRequest } from '@mintmark/internal'
import { epochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'
import { openJournal, type ServerEvent } from './events.ts'
import { logEvents } from './telemetry.ts'

const deps = { clock: () => epochSeconds(7), random: systemRandom }
const occurrence = { type: 'interaction.denied', clientId: 'A', reason: 'user_denied' } as const

const requestWith = (headers: Record<string, string>): ServerRequest => ({
  method: 'GET',
  url: new URL('https://as.test/auth'),
  headers: new Map(Object.entries(headers)),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

describe('journal', () => {
  it('gives every event its time, and the events of one request the same correlation id', () => {
    const events: ServerEvent[] = []
    const journal = openJournal((event) => void events.push(event), deps)
    const request = requestWith({})

    journal.record(request, occurrence)
    journal.record(request, occurrence)

    expect(events).toMatchObject([{ at: 7 }, { at: 7 }])
    expect(events[0]?.correlationId).toBe(events[1]?.correlationId)
  })

  it('gives each request its own correlation id', () => {
    const events: ServerEvent[] = []
    const journal = openJournal((event) => void events.push(event), deps)

    journal.record(requestWith({}), occurrence)
    journal.record(requestWith({}), occurrence)

    expect(events[0]?.correlationId).not.toBe(events[1]?.correlationId)
  })

  it.each([
    ['abc-1', 'abc-1'],
    ['a b', undefined],
    ['x'.repeat(65), undefined],
  ])('contains the x-request-id %j only if it is safe to log', (header, expected) => {
    const events: ServerEvent[] = []
    const journal = openJournal((event) => void events.push(event), deps)

    journal.record(requestWith({ 'x-request-id': header }), occurrence)

    expect(events[0]?.requestId).toBe(expected)
  })

  it('gives requests with the same x-request-id different correlation ids', () => {
    const events: ServerEvent[] = []
    const journal = openJournal((event) => void events.push(event), deps)

    journal.record(requestWith({ 'x-request-id': 'abc-1' }), occurrence)
    journal.record(requestWith({ 'x-request-id': 'abc-1' }), occurrence)

    expect(events[0]?.correlationId).not.toBe(events[1]?.correlationId)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('sink is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('sink is down'))],
  ])('continues when the listener %s', (_case, listener) => {
    const journal = openJournal(listener, deps)

    expect(() => journal.record(requestWith({}), occurrence)).not.toThrow()
  })
})

describe('logger', () => {
  const at = { at: epochSeconds(7), correlationId: 'c', requestId: undefined }
  const refused = {
    type: 'request.refused',
    method: 'POST',
    path: '/token',
    context: {},
    cause: undefined,
    ...at,
  } as const

  it.each([
    [
      'warn',
      'POST /token refused: invalid_grant (code_replayed). The code was redeemed before, perhaps because the callback page was loaded again. Redeem it once, then redirect to another page',
      { ...refused, code: 'invalid_grant', reason: 'code_replayed' },
    ],
    [
      'error',
      'POST /token refused: server_error (unexpected_failure)',
      { ...refused, code: 'server_error', reason: 'unexpected_failure' },
    ],
    ['info', 'interaction.denied: user_denied for A', { ...occurrence, ...at }],
  ] as const)('writes one line at level %s: %s', async (level, message, event) => {
    const lines: unknown[] = []
    const write = (name: string) => (_fields: object, text: string) => void lines.push([name, text])

    await logEvents({ info: write('info'), warn: write('warn'), error: write('error') })(event)

    expect(lines).toEqual([[level, message]])
  })
})
