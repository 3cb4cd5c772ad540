import type { CrossOrigin } from './cross-origin.ts'
import type { ServerRequest } from './request.ts'
import type { ServerResponse } from './response.ts'

/** Answers one request. It throws what its router knows how to render. */
export type Endpoint = (request: ServerRequest) => Promise<ServerResponse>

/** A route: an exact path, and an endpoint for each method that it answers. */
export interface Route {
  /** The whole path, percent-encoding included, compared byte for byte. */
  readonly path: string
  readonly methods: Readonly<Record<string, Endpoint>>
  /** Turns whatever one of its endpoints threw into a response; must not throw. */
  readonly renderError: (error: unknown, request: ServerRequest) => ServerResponse
  /** Which other origins' scripts may read its answers. Default: none. */
  readonly crossOrigin?: CrossOrigin
}

/** What an adapter serves: an authorization server, a SCIM server. */
export interface HttpService {
  /** Scheme, host and port of the configured issuer. */
  readonly origin: string
  /** The largest body, in bytes, that the adapter hands over; a larger one it answers with `tooLarge`. */
  readonly bodyLimit: number
  /** The answer to a request whose body is larger than that (RFC 9110 §15.5.14), also at pages of the host. */
  tooLarge(): ServerResponse
  /** Whether the path is one of the service's, so that an adapter leaves the host's other requests alone. */
  serves(path: string): boolean
  /** Answers a request to one of the service's paths. It never throws. */
  handle(request: ServerRequest): Promise<ServerResponse>
}
