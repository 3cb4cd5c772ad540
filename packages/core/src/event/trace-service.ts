import type { HttpService } from '@mintmark/internal'

/** What is asked of an OpenTelemetry tracer; `@opentelemetry/api`'s is one. */
export interface ServiceTracer {
  startActiveSpan<Result>(name: string, run: (span: ServiceSpan) => Result): Result
}

interface ServiceSpan {
  setAttribute(name: string, value: string | number): unknown
  end(): void
}

/** The same service, with a span `{METHOD} {path}` around each request. Paths are the service's own, so there are few. */
export const traceService = <Service extends HttpService>(service: Service, tracer: ServiceTracer): Service => ({
  ...service,
  handle: (request) =>
    tracer.startActiveSpan(`${request.method} ${request.url.pathname}`, async (span) => {
      try {
        span.setAttribute('http.request.method', request.method)
        const response = await service.handle(request)
        span.setAttribute('http.response.status_code', response.status)
        return response
      } finally {
        span.end()
      }
    }),
})
