import type { Header, RequestHead } from './message.ts'

/** The members that every event has. */
export interface EventStamp<Time> {
  readonly at: Time
  /** The same in all events of a request. The server generates it, so no client can use the identifier of another request. */
  readonly correlationId: string
  /**
   * The request's `x-request-id`, if it has at most 64 letters, digits, `.`, `_` and `-`. Anybody can send any value,
   * so it identifies a request only if a proxy sets it.
   */
  readonly requestId: string | undefined
}

/** Where endpoints record events. */
export interface Journal<Occurrence> {
  record(request: RequestHead, occurrence: Occurrence): void
  /** Records an event that belongs to no request. */
  recordWithoutRequest(occurrence: Occurrence): void
  /**
   * Makes the events of `part` have the identifiers of `whole`. `part` is a part of a request, such as one operation of a
   * Bulk request.
   */
  shareIdentifiers(part: RequestHead, whole: RequestHead): void
  /** Returns the correlation identifier of the request's events. */
  correlationIdOf(request: RequestHead): string
  /** Returns the response header with the correlation identifier, for refusals. */
  correlationHeader(request: RequestHead): Header
}

/**
 * Creates a journal that passes dated events to the listener. Errors of the listener are ignored: a log that is down must
 * not fail a request.
 */
export function createJournal<Occurrence, Time>(
  listener: (event: Occurrence & EventStamp<Time>) => void | Promise<void>,
  deps: {
    /** Returns the time of an event. */
    readonly clock: () => Time
    /** Generates a correlation identifier. */
    readonly newIdentifier: () => string
  },
): Journal<Occurrence> {
  // The key is the map of headers, which a request and its head share.
  const identifiers = new WeakMap<RequestHead['headers'], Pick<EventStamp<Time>, 'correlationId' | 'requestId'>>()

  const identify = ({ headers }: RequestHead): Pick<EventStamp<Time>, 'correlationId' | 'requestId'> => {
    const known = identifiers.get(headers)
    if (known !== undefined) return known
    const created = { correlationId: deps.newIdentifier(), requestId: requestIdOf(headers) }
    identifiers.set(headers, created)
    return created
  }

  function deliver(event: Occurrence & EventStamp<Time>): void {
    try {
      const pending = listener(event)
      if (pending !== undefined) void ignoreRejection(pending)
    } catch {
      // The listener is the host's, and there is nowhere else to report its failure.
    }
  }

  return {
    record(request, occurrence) {
      deliver({ ...occurrence, at: deps.clock(), ...identify(request) })
    },
    recordWithoutRequest(occurrence) {
      deliver({ ...occurrence, at: deps.clock(), correlationId: deps.newIdentifier(), requestId: undefined })
    },
    shareIdentifiers(part, whole) {
      identifiers.set(part.headers, identify(whole))
    },
    correlationIdOf: (request) => identify(request).correlationId,
    correlationHeader: (request) => ['X-Correlation-Id', identify(request).correlationId],
  }
}

async function ignoreRejection(pending: Promise<void>): Promise<void> {
  try {
    await pending
  } catch {
    // As in `deliver`.
  }
}

/** Returns the `x-request-id` of the request, if it is safe to log. */
function requestIdOf(headers: RequestHead['headers']): string | undefined {
  const header = headers.get('x-request-id')
  return header !== undefined && /^[\w.-]{1,64}$/.test(header) ? header : undefined
}

/** A logger, such as pino or `console`. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An event with its log level and a one-line summary. */
export interface LoggedEvent {
  readonly level: keyof Logger
  readonly line: string
  readonly event: object
}

/** Writes an event as one line. A logger gets the event as fields of the line; a console gets only the line and the cause of a failure. */
export function logEvent(logger: Logger, { level, line, event }: LoggedEvent): void {
  const console = consoleOf(logger)
  if (console === undefined) return logger[level](event, line)
  const cause = 'cause' in event ? event.cause : undefined
  return cause === undefined ? console[level](line) : console[level](line, cause)
}

/** Every console has the method `table`, and loggers do not. */
const consoleOf = (logger: Logger): Pick<Console, keyof Logger> | undefined => ('table' in logger ? logger : undefined)
