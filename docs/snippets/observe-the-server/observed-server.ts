import {
  countEvents,
  createAuthorizationServer,
  logEvents,
  measureService,
  traceService,
  type AuthorizationServerOptions,
} from '@mintmark/core'
import { metrics, trace } from '@opentelemetry/api'

/** Creates a server that logs and counts its events, and records a span and the duration of each request. */
export function createObservedServer(options: AuthorizationServerOptions) {
  const listeners = [logEvents(console), countEvents(metrics.getMeter('mintmark'))]
  const server = createAuthorizationServer({
    ...options,
    onEvent: (event) => {
      for (const listener of listeners) void listener(event)
    },
  })
  return measureService(traceService(server, trace.getTracer('mintmark')), metrics.getMeter('mintmark'))
}
