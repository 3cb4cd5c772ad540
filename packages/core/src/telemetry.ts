import { type Clock, elapsed, type HttpService, logEvent, type Logger, systemClock } from '@mintmark/internal'
import type { DeliveryStorage, JsonValue } from '@mintmark/storage-interface'
import type { EventListener, RequestRefused, ServerEvent } from './events.ts'
import { adviceOf } from './refusal-advice.ts'
import type { RefusalReason } from './refusals.ts'

/**
 * Logs each event once: a line that says what happened, for which client and why, with the event as its fields. A
 * `console` gets the line only.
 */
export const logEvents =
  (logger: Logger): EventListener =>
  (event) => {
    logEvent(logger, { level: levelOf(event), line: eventLine(event), event })
  }

function levelOf(event: ServerEvent): keyof Logger {
  if (warnings.has(event.type)) return 'warn'
  if (event.type === 'delivery.gap' || event.type === 'delivery.interrupted') return 'error'
  if (event.type !== 'request.refused') return 'info'
  return event.code === 'server_error' || storageFaults.has(event.reason) ? 'error' : 'warn'
}

const warnings: ReadonlySet<ServerEvent['type']> = new Set([
  'option.unsafe',
  'pages.missing',
  'delivery.dead',
  'delivery.unattended',
  'sign_in.failed',
  'sign_in.throttled',
  'sign_in.one_address',
  'sign_in.lost',
  'sign_in.insufficient',
])

/**
 * Storage returned a code without one of its fields. Clients are refused through no fault of theirs until the store is
 * fixed.
 */
const storageFaults: ReadonlySet<RefusalReason> = new Set(['code_challenge_lost', 'code_incomplete'])

/**
 * Creates the listener for a host that has none. The response to a failure has a fixed sentence, so without this
 * listener the failure would leave no trace. Of the refusals only the first is logged, because anybody can cause any
 * number of them.
 */
export function reportFaults(console: Pick<Console, 'warn' | 'error'>): EventListener {
  let hasRefused = false
  return (event) => {
    if (printed.has(event.type)) return console.warn(`Mintmark: ${eventLine(event)}`)
    const isFailure = event.type === 'request.refused' || event.type === 'delivery.interrupted'
    if (isFailure && event.cause !== undefined) return console.error(`Mintmark: ${eventLine(event)}`, event.cause)
    if (event.type !== 'request.refused' || hasRefused) return
    hasRefused = true
    console.warn(
      `Mintmark: ${eventLine(event)}. Further refusals are not shown: set onEvent, for example to logEvents(console).`,
    )
  }
}

/** The events that are printed each time, besides failures. */
const printed: ReadonlySet<ServerEvent['type']> = new Set([
  'option.unsafe',
  'pages.missing',
  'delivery.gap',
  'delivery.unattended',
  'sign_in.one_address',
])

/** Summarizes an event in one line: what happened, for which client, and why. */
export const eventLine = (event: ServerEvent): string =>
  // The table has the line of each type, which the compiler cannot tell.
  (lines[event.type] as (event: ServerEvent) => string)(event)

const lines: { readonly [Type in ServerEvent['type']]: (event: EventOfType<Type>) => string } = {
  'request.refused': (event) =>
    `${event.method} ${event.path} refused: ${event.code} (${event.reason})${refusalDetails(event)}${adviceAfter(event)}`,
  'option.unsafe': (event) => `unsafe option ${event.option}: ${event.advice}`,
  'pages.missing': (event) =>
    `pages.missing: a user was sent to ${event.url}, but the option pages is not set. Set pages, as the README does; if a route of your own serves that address, set interaction.loginUrl`,
  'sign_in.failed': (event) => `sign_in.failed: from ${event.network ?? 'an unknown address'}`,
  'sign_in.throttled': (event) =>
    `sign_in.throttled: limit of the ${event.limit}, from ${event.network ?? 'an unknown address'}, for ${event.retryAfter} s`,
  'sign_in.one_address': (event) =>
    `sign_in.one_address: all sign-ins come from ${event.network ?? 'an unknown address'} and share one limit. Behind a proxy, pass the browser's address to limitSignIns; with Express: app.set('trust proxy', 1)`,
  'request.pushed': (event) => `request.pushed: by ${nameOf(event.clientId)}`,
  'request.asked': (event) => `request.asked: ${event.kind} by ${nameOf(event.clientId)}${withoutScopes(event)}`,
  'request.decided': (event) =>
    `request.decided: ${event.kind} ${event.decision}${userOf(event)} for ${nameOf(event.clientId)}`,
  'user_code.unknown': () => 'user_code.unknown: no pending request has the entered code',
  'interaction.started': (event) => `interaction.started: ${event.kind} for ${nameOf(event.clientId)}`,
  'sign_in.insufficient': (event) =>
    `sign_in.insufficient: ${event.userId} has signed in for ${nameOf(event.clientId)}, and must sign in again: ${insufficientSignIns[event.reason]}`,
  'sign_in.lost': (event) =>
    `sign_in.lost: a user has signed in for ${nameOf(event.clientId)}, and this process does not find the sign-in. If it happens at each sign-in, processes have different databases, or stores in memory: give all of them one database`,
  'client.changed': (event) => `client.changed: ${nameOf(event.clientId)}`,
  'interaction.denied': (event) => `interaction.denied: ${event.reason}${userOf(event)} for ${nameOf(event.clientId)}`,
  'tokens.issued': (event) => `tokens.issued: ${event.grantType} to ${nameOf(event.clientId)}${withoutScopes(event)}`,
  'assertion.issued': (event) => `assertion.issued: to ${nameOf(event.clientId)} for ${event.audience}`,
  'code.issued': (event) => `code.issued: to ${nameOf(event.clientId)}${withoutScopes(event)}`,
  'claims.unreleased': (event) =>
    `claims.unreleased: no scope of ${nameOf(event.clientId)} releases ${event.names.join(', ')} at ${event.destination}`,
  'user.signed_out': (event) =>
    `user.signed_out: ${nameOf(event.userId)}${event.clientId === undefined ? '' : ` at ${nameOf(event.clientId)}`}`,
  'session.ended': (event) => `session.ended: ${nameOf(event.sessionId)} by ${event.reason}`,
  'token.introspected': (event) =>
    `token.introspected: ${event.active ? 'active' : 'not active'} to ${nameOf(event.clientId)}`,
  'token.revoked': (event) => `token.revoked: ${event.revoked} by ${nameOf(event.clientId)}`,
  'grant.queried': grantLine,
  'grant.revoked': grantLine,
  'revocations.delivered': (event) => `revocations.delivered: ${event.count} to ${nameOf(event.clientId)}`,
  'delivery.delivered': (event) =>
    `delivery.delivered: ${event.channel} to ${nameOf(event.clientId)}, attempt ${event.attempts}`,
  'delivery.failed': failureLine,
  'delivery.dead': failureLine,
  'delivery.gap': (event) =>
    `delivery.gap: revocations since ${event.since} were purged before their ${event.channel} messages were sent`,
  'delivery.unattended': () =>
    'delivery.unattended: call server.deliver in one process, so that failed messages do not wait for a request',
  'delivery.interrupted': (event) => `delivery.interrupted: ${event.channel}`,
  'origin.refused': (event) =>
    `origin.refused: ${event.origin} is the origin of no redirect URI of ${nameOf(event.clientId)}, so its pages cannot read the response. If they belong to the client, register a redirect URI there`,
  'userinfo.answered': (event) => `${event.type}: to ${nameOf(event.clientId)}`,
}

const insufficientSignIns: Readonly<Record<EventOfType<'sign_in.insufficient'>['reason'], string>> = {
  not_new:
    'the request demands a new sign-in, and authTime is of an earlier one. The sign-in page must ask again, and pass the time of that',
  other_user: 'the request is for another user',
  in_future: 'authTime is ahead of the clock of this server. Synchronize the clocks, and pass seconds',
}

function grantLine({ type, clientId }: EventOfType<'grant.queried' | 'grant.revoked'>): string {
  return `${type}: by ${nameOf(clientId)}`
}

function failureLine(event: EventOfType<'delivery.failed' | 'delivery.dead'>): string {
  return `${event.type}: ${event.channel} to ${nameOf(event.clientId)}, attempt ${event.attempts}: ${event.failure}`
}

type EventOfType<Type extends ServerEvent['type']> = Extract<ServerEvent, { readonly type: Type }>

function adviceAfter({ reason }: RequestRefused): string {
  const advice = adviceOf(reason)
  return advice === undefined ? '' : `. ${advice.replace(/\.$/, '')}`
}

const withoutScopes = ({ omittedScopes }: { readonly omittedScopes: readonly string[] }): string =>
  omittedScopes.length === 0 ? '' : `, without the scope ${printableText(omittedScopes.join(' '))}`

/**
 * Describes a refusal: the `client_id` of a client that exists, what it sent, and what would have been accepted.
 */
function refusalDetails({ context }: RequestRefused): string {
  const { clientId, presentedMethod, registeredMethod, presentedAudience, expectedAudience, workload } = context
  const details = [
    ['requested', context.requestedRedirectUri],
    ['registered', context.nearestRedirectUri],
    ['refused scope', context.refusedScopes?.join(' ')],
    ['registered scope', context.registeredScopes?.join(' ')],
    ['granted scope', context.grantedScopes?.join(' ')],
    ['refused resource', context.refusedResources?.join(' ')],
    ['missing', context.missingMembers?.join(' ')],
    ['known resources', context.knownResources?.join(' ') || (context.knownResources && 'none')],
    ['requested', context.requestedGrantType ?? context.requestedValue],
    ['document at', context.documentHost],
    ['failure', context.documentFailure],
    ['assertion of', context.assertion?.issuer ?? undefined],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${printableText(value)}`]))
  const sent = details.join(', ')
  if (clientId === undefined) return sent === '' ? '' : `: ${sent}`
  const methods = registeredMethod && `, registered for ${registeredMethod}, sent ${presentedMethod}`
  const identity =
    workload &&
    `, expected ${workload.claim} ${printableValue(workload.expected)}, sent ${printableValue(workload.presented)}`
  const audience =
    expectedAudience && `, expected aud ${expectedAudience.join(' or ')}, sent ${printableValue(presentedAudience)}`
  return `: ${nameOf(clientId)}${methods ?? ''}${identity ?? ''}${audience ?? ''}${sent === '' ? '' : `, ${sent}`}`
}

/**
 * Returns the name for a log line. An unauthenticated caller chooses the client_id and must not be able to break or
 * forge a line, so an unsafe client_id appears only in the event's fields. The `client_id` of a client that registered itself is long.
 */
function nameOf(clientId: string): string {
  if (!/^[\x21-\x7E]+$/.test(clientId)) return 'a client with an unusual name'
  return clientId.length > 64 ? `${clientId.slice(0, 63)}…` : clientId
}

/** Returns a text that a client sent, if it is safe in a terminal; its beginning if it is long. */
function printableText(text: string): string {
  const beginning = text.length > 200 ? `${text.slice(0, 200)}…` : text
  return /^[\x20-\x7E]*…?$/.test(beginning) ? beginning : 'an unusual one'
}

const userOf = ({ userId }: { readonly userId?: string | undefined }): string =>
  userId === undefined ? '' : ` (${nameOf(userId)})`

/** Returns a value that a client sent, if it is short and safe in a terminal. */
function printableValue(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'none'
  return /^[\x20-\x7E]{1,200}$/.test(text) ? text : 'an unusual one'
}

/** The methods of an OpenTelemetry meter that Mintmark calls; the meter of `@opentelemetry/api` has them. */
interface EventMeter {
  createCounter(
    name: string,
    options?: { readonly description?: string },
  ): {
    add(value: number, attributes?: Record<string, string>): void
  }
}

/** Counts the events on an OpenTelemetry meter. Attributes have few distinct values: no client and no user. */
export function countEvents(meter: EventMeter): EventListener {
  const counter = meter.createCounter('mintmark.events', {
    description: 'What the authorization server did and refused',
  })
  return (event) => {
    counter.add(1, { type: event.type, ...detailsOf(event) })
  }
}

function detailsOf(event: ServerEvent): Record<string, string> {
  if (event.type === 'request.refused') return { code: event.code, reason: event.reason }
  return event.type === 'delivery.failed' || event.type === 'delivery.dead' ? { failure: event.failure } : {}
}

/** The part of an OpenTelemetry meter that reads values when they are collected. */
interface ObservingMeter<Gauge> {
  createObservableGauge(name: string, options?: { readonly description?: string; readonly unit?: string }): Gauge
  addBatchObservableCallback(
    callback: (result: { observe(gauge: Gauge, value: number): void }) => Promise<void>,
    gauges: Gauge[],
  ): void
}

/**
 * Shows the deliveries on an OpenTelemetry meter: `mintmark.deliveries.pending` and `mintmark.deliveries.dead`, counted
 * up to 10000, and `mintmark.deliveries.oldest`, the age of the oldest pending delivery in seconds. Each collection
 * costs one query.
 */
export function observeDeliveries<Gauge>(
  meter: ObservingMeter<Gauge>,
  { storage, clock = systemClock }: { readonly storage: DeliveryStorage; readonly clock?: Clock },
): void {
  const pending = meter.createObservableGauge('mintmark.deliveries.pending', {
    description: 'Messages to clients that were not delivered yet',
  })
  const dead = meter.createObservableGauge('mintmark.deliveries.dead', {
    description: 'Messages to clients that the server gave up delivering',
  })
  const oldest = meter.createObservableGauge('mintmark.deliveries.oldest', {
    description: 'The age of the oldest message that was not delivered yet',
    unit: 's',
  })
  meter.addBatchObservableCallback(
    async (result) => {
      const counts = await storage.deliveries.counts()
      result.observe(pending, counts.pending)
      result.observe(dead, counts.dead)
      const { oldestPendingAt } = counts
      result.observe(oldest, oldestPendingAt === undefined ? 0 : Math.max(clock() - oldestPendingAt, 0))
    },
    [pending, dead, oldest],
  )
}

/** The methods of an OpenTelemetry tracer that Mintmark calls; the tracer of `@opentelemetry/api` has them. */
interface ServiceTracer {
  startActiveSpan<Result>(name: string, run: (span: ServiceSpan) => Result): Result
}

interface ServiceSpan {
  setAttribute(name: string, value: string | number): unknown
  end(): void
}

/**
 * Returns the service with a span around each request. Its name and attributes follow the semantic conventions of
 * OpenTelemetry for HTTP servers: the name is the method and the template of the path, such as
 * `DELETE /grants/{grant_id}`, or the method alone if no endpoint has the path.
 */
export const traceService = <Service extends HttpService>(service: Service, tracer: ServiceTracer): Service => ({
  ...service,
  handle(request) {
    const route = service.template?.(request)
    const method = knownMethods.has(request.method) ? request.method : undefined
    const name = method ?? 'HTTP'
    return tracer.startActiveSpan(route === undefined ? name : `${name} ${route}`, async (span) => {
      try {
        span.setAttribute('http.request.method', method ?? '_OTHER')
        if (route !== undefined) span.setAttribute('http.route', route)
        span.setAttribute('url.path', request.url.pathname)
        span.setAttribute('url.scheme', request.url.protocol.slice(0, -1))
        const response = await service.handle(request)
        span.setAttribute('http.response.status_code', response.status)
        return response
      } finally {
        span.end()
      }
    })
  },
})

/** The part of an OpenTelemetry meter that records durations. */
interface DurationMeter {
  createHistogram(
    name: string,
    options: {
      readonly description: string
      readonly unit: string
      readonly advice: { readonly explicitBucketBoundaries: number[] }
    },
  ): { record(value: number, attributes: Record<string, string | number>): void }
}

/**
 * Returns the service with a measurement of each request: the histogram `http.server.request.duration` in seconds, with
 * the attributes and bucket boundaries of OpenTelemetry's semantic conventions for HTTP servers.
 */
export function measureService<Service extends HttpService>(service: Service, meter: DurationMeter): Service {
  const durations = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
  })
  return {
    ...service,
    async handle(request) {
      const startedAt = elapsed()
      const route = service.template?.(request)
      const response = await service.handle(request)
      durations.record((elapsed() - startedAt) / 1000, {
        'http.request.method': knownMethods.has(request.method) ? request.method : '_OTHER',
        'http.response.status_code': response.status,
        'url.scheme': request.url.protocol.slice(0, -1),
        ...(route !== undefined && { 'http.route': route }),
      })
      return response
    },
  }
}

/** The methods that the conventions know. A client can send any other, so no other occurs in a span. */
const knownMethods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
])
