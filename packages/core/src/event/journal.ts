import type { ServerRequest } from '../http/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { randomIdentifier, type Random } from '../runtime/random.ts'
import type { ServerEvent, ServerOccurrence } from './server-event.ts'

/** Receives the events of a server. What it throws is dropped: a log that is down must not fail a request. */
export type EventListener = (event: ServerEvent) => void | Promise<void>

/** Where endpoints write what happened. */
export interface Journal {
  record(request: ServerRequest, occurrence: ServerOccurrence): void
  /** For what happens outside of any request. */
  announce(occurrence: ServerOccurrence): void
}

/** A journal that dates its events and hands them to the listener. */
export function createJournal(
  listener: EventListener,
  deps: { readonly clock: Clock; readonly random: Random },
): Journal {
  const correlationIds = new WeakMap<ServerRequest, string>()

  return {
    record(request, occurrence) {
      const correlationId = correlationIds.get(request) ?? correlationIdOf(request, deps.random)
      correlationIds.set(request, correlationId)
      void deliver(listener, { ...occurrence, at: deps.clock(), correlationId })
    },
    announce(occurrence) {
      void deliver(listener, { ...occurrence, at: deps.clock(), correlationId: randomIdentifier(deps.random) })
    },
  }
}

/** The caller's own name for the request, when it has one that is safe to log. */
function correlationIdOf(request: ServerRequest, random: Random): string {
  const given = request.headers.get('x-request-id')
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomIdentifier(random)
}

async function deliver(listener: EventListener, event: ServerEvent): Promise<void> {
  try {
    await listener(event)
  } catch {
    // The listener is the host's; there is nobody left to tell.
  }
}
