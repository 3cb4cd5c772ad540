import type { ServerRequest } from './request.ts'

/** What every event carries beside what happened. */
export interface EventStamp<Moment> {
  readonly at: Moment
  /** Joins the events of one request: the request's `x-request-id`, or a name that no other request has. */
  readonly correlationId: string
}

/** Where endpoints write what happened. */
export interface Journal<Occurrence> {
  record(request: ServerRequest, occurrence: Occurrence): void
  /** For what happens outside of any request. */
  announce(occurrence: Occurrence): void
}

/**
 * A journal that dates its events and hands them to the listener. What the listener throws is dropped: a log that is down
 * must not fail a request.
 */
export function createJournal<Occurrence, Moment>(
  listener: (event: Occurrence & EventStamp<Moment>) => void | Promise<void>,
  deps: {
    /** Dates the events. */
    readonly clock: () => Moment
    /** Names a request that did not come with a name. */
    readonly newIdentifier: () => string
  },
): Journal<Occurrence> {
  const correlationIds = new WeakMap<ServerRequest, string>()

  function deliver(event: Occurrence & EventStamp<Moment>): void {
    try {
      const told = listener(event)
      // Most listeners are done by now.
      if (told !== undefined) void dropFailure(told)
    } catch {
      // The listener is the host's; there is nobody left to tell.
    }
  }

  return {
    record(request, occurrence) {
      const correlationId = correlationIds.get(request) ?? givenIdentifier(request) ?? deps.newIdentifier()
      correlationIds.set(request, correlationId)
      deliver({ ...occurrence, at: deps.clock(), correlationId })
    },
    announce(occurrence) {
      deliver({ ...occurrence, at: deps.clock(), correlationId: deps.newIdentifier() })
    },
  }
}

async function dropFailure(told: Promise<void>): Promise<void> {
  try {
    await told
  } catch {
    // As in `deliver`.
  }
}

/** The caller's own name for the request, when it has one that is safe to log. */
function givenIdentifier(request: ServerRequest): string | undefined {
  const given = request.headers.get('x-request-id')
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : undefined
}
