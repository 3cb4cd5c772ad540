import { createRouter, json, noStore, type Endpoint, type HttpService, type ServerRequest } from '@mintmark/core/http'

/** A service that records the requests that reach it. */
export interface RecordingService extends HttpService {
  readonly received: readonly ServerRequest[]
}

export interface RecordingServiceOptions {
  readonly path?: string
  readonly origin?: string
  readonly bodyLimit?: number
  readonly endpoint?: Endpoint
}

export function aService(options: RecordingServiceOptions = {}): RecordingService {
  const received: ServerRequest[] = []
  const endpoint = options.endpoint ?? (() => Promise.resolve(json(200, { path: options.path ?? '/token' })))
  const record: Endpoint = (request) => {
    received.push(request)
    return endpoint(request)
  }
  const router = createRouter({
    origin: options.origin ?? 'https://as.test',
    bodyLimit: options.bodyLimit ?? 16_384,
    tooLarge: () =>
      json(413, { error: 'invalid_request', error_description: 'The request body is too large.' }, noStore),
    routes: [{ path: options.path ?? '/token', methods: { GET: record, POST: record }, renderError: rethrow }],
    notFound: () => json(404, {}),
    methodNotAllowed: () => json(405, {}),
  })
  return { ...router, received }
}

function rethrow(error: unknown): never {
  throw error
}
