import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'
import type { ServerEvent, ServerOccurrence } from './events.ts'
import { eventLine, logEvents, reportFaults } from './telemetry.ts'

const line = (occurrence: ServerOccurrence): string =>
  eventLine({ ...occurrence, at: epochSeconds(7), correlationId: 'c', requestId: undefined })

const unauthenticated = {
  type: 'request.refused',
  method: 'POST',
  path: '/token',
  code: 'invalid_client',
  reason: 'client_authentication_method',
  cause: undefined,
} as const

it('names the method that a client is registered for and the method that it used', () => {
  const context = {
    clientId: 'my-app',
    registeredMethod: 'client_secret_basic',
    presentedMethod: 'client_secret_post',
  } as const

  expect(line({ ...unauthenticated, context })).toBe(
    'POST /token refused: invalid_client (client_authentication_method): my-app, registered for client_secret_basic, sent client_secret_post. Configure the client for the registered method, or change the registration',
  )
})

it('says which redirect URI a client requested, and the most similar registered one', () => {
  const context = {
    clientId: 'my-app',
    requestedRedirectUri: 'https://app.test/cb/',
    nearestRedirectUri: 'https://app.test/cb',
  }

  expect(
    line({ ...unauthenticated, path: '/auth', code: 'invalid_request', reason: 'redirect_uri_mismatch', context }),
  ).toBe(
    'POST /auth refused: invalid_request (redirect_uri_mismatch): my-app, requested https://app.test/cb/, registered https://app.test/cb. Send a registered redirect URI, character by character, or register this one; at the token endpoint, send the one of the authorization request',
  )
})

it('does not log a line break that a client sent in a redirect URI', () => {
  const context = { clientId: 'my-app', requestedRedirectUri: 'https://app.test/\nPOST /token refused' }

  expect(line({ ...unauthenticated, context })).not.toContain('\n')
})

it.each([
  ['with a line break', 'x\nPOST /token refused: nothing'],
  ['with words of a log line', 'x, registered for none'],
  ['with a terminal escape', 'x\u001B[2J'],
  ['that is empty', ''],
  ['with a line break after 64 characters', `${'x'.repeat(64)}\n`],
])('does not log the client_id of an unauthenticated client %s', (_case, clientId) => {
  expect(line({ ...unauthenticated, context: { clientId } })).toBe(
    'POST /token refused: invalid_client (client_authentication_method): a client with an unusual name. Configure the client for the registered method, or change the registration',
  )
})

it('logs the beginning of a long client_id, such as that of a client that registered itself', () => {
  const clientId = `open.${'A'.repeat(200)}`

  expect(line({ type: 'interaction.started', kind: 'login', clientId })).toBe(
    `interaction.started: login for ${clientId.slice(0, 63)}…`,
  )
})

it.each([
  ['interaction.started: login for A', { type: 'interaction.started', kind: 'login', clientId: 'A' }],
  ['interaction.denied: user_denied for A', { type: 'interaction.denied', clientId: 'A', reason: 'user_denied' }],
  ['token.introspected: not active to A', { type: 'token.introspected', clientId: 'A', active: false }],
  ['token.revoked: family by A', { type: 'token.revoked', clientId: 'A', revoked: 'family' }],
  ['userinfo.answered: to A', { type: 'userinfo.answered', clientId: 'A', userId: 'U' }],
  [
    'sign_in.lost: a user has signed in for A, and this process does not find the sign-in. If it happens at each sign-in, processes have different databases, or stores in memory: give all of them one database',
    { type: 'sign_in.lost', clientId: 'A' },
  ],
  [
    'sign_in.insufficient: U1 has signed in for A, and must sign in again: the request is for another user',
    { type: 'sign_in.insufficient', clientId: 'A', userId: 'U1', reason: 'other_user' },
  ],
  ['unsafe option issuer: Plain http.', { type: 'option.unsafe', option: 'issuer', advice: 'Plain http.' }],
] as const)('describes in one line what happened, and for which client: %s', (expected, occurrence) => {
  expect(line(occurrence)).toBe(expected)
})

const at = { at: epochSeconds(7), correlationId: 'c', requestId: undefined }
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

it('prints a failure inside a server without a listener, with its cause', () => {
  const cause = new Error('sealed with another key')

  expect(printed({ ...refused, code: 'server_error', reason: 'unexpected_failure', cause })).toEqual([
    ['error', 'Mintmark: GET /jwks refused: server_error (unexpected_failure)', cause],
  ])
})

it('prints where a server without pages and without a listener sent a user, and what to set', () => {
  expect(printed({ type: 'pages.missing', url: 'https://as.test/login', ...at })).toEqual([
    ['warn', expect.stringMatching(/^Mintmark: .*https:\/\/as\.test\/login.* Set pages.* interaction\.loginUrl$/)],
  ])
})

it('prints an unsafe option of a server without a listener', () => {
  expect(printed({ type: 'option.unsafe', option: 'issuer', advice: 'Plain http.', ...at })).toEqual([
    ['warn', 'Mintmark: unsafe option issuer: Plain http.'],
  ])
})

it('prints lost and interrupted deliveries of a server without a listener', () => {
  const cause = new Error('the disk is full')
  const gap = { type: 'delivery.gap', channel: 'logout', since: epochSeconds(1) } as const

  expect(printed({ ...gap, ...at })).toEqual([['warn', `Mintmark: ${line(gap)}`]])
  expect(printed({ type: 'delivery.interrupted', channel: 'logout', cause, ...at })).toEqual([
    ['error', expect.stringMatching(/^Mintmark: .*logout/), cause],
  ])
})

it('prints only the first of the refusals, which strangers can cause, and says how to see the others', () => {
  const lines: string[] = []
  const listener = reportFaults({ warn: (line: string) => lines.push(line), error: () => undefined })
  const refusal = { ...at, ...refused, code: 'invalid_client', reason: 'client_unknown', cause: undefined } as const

  for (const event of [refusal, refusal]) void listener(event)

  expect(lines).toEqual([
    `Mintmark: ${eventLine(refusal)}. Further refusals are not shown: set onEvent, for example to logEvents(console).`,
  ])
})

it('prints nothing about requests that succeed', () => {
  expect(printed({ type: 'userinfo.answered', clientId: 'A', userId: 'U', ...at })).toEqual([])
})

it.each([
  ['warn', { type: 'option.unsafe', option: 'issuer', advice: 'Plain http.' }],
  [
    'warn',
    {
      type: 'delivery.dead',
      channel: 'logout',
      deliveryId: 'm',
      clientId: 'A',
      attempts: 8,
      failure: 'http_400',
      age: 60,
    },
  ],
  ['error', { type: 'delivery.gap', channel: 'logout', since: epochSeconds(1) }],
  ['error', { type: 'delivery.interrupted', channel: 'logout', cause: new Error('down') }],
  ['info', { type: 'userinfo.answered', clientId: 'A', userId: 'U' }],
  ['warn', { ...refused, code: 'invalid_client', reason: 'client_unknown', cause: undefined }],
  ['error', { ...refused, code: 'server_error', reason: 'unexpected_failure', cause: new Error('down') }],
] as const)('logs at level %s: %o', (expected, occurrence) => {
  const levels: string[] = []
  const push = (level: string) => () => void levels.push(level)

  void logEvents({ info: push('info'), warn: push('warn'), error: push('error') })({ ...at, ...occurrence })

  expect(levels).toEqual([expected])
})
