import type { EventListener } from './journal.ts'

/** What is asked of an OpenTelemetry meter; `@opentelemetry/api`'s is one. */
export interface EventMeter {
  createCounter(
    name: string,
    options?: { readonly description?: string },
  ): {
    add(value: number, attributes?: Record<string, string>): void
  }
}

/** Counts the events on an OpenTelemetry meter, with attributes of few values: no client, no person. */
export function countEvents(meter: EventMeter): EventListener {
  const counter = meter.createCounter('mintmark.events', {
    description: 'What the authorization server did and refused',
  })
  return (event) => {
    const refusal = event.type === 'request.refused' ? { code: event.code, reason: event.reason } : {}
    counter.add(1, { type: event.type, ...refusal })
  }
}
