import type { ServerRequest } from './request.ts'
import type { Header, ServerResponse } from './response.ts'

/**
 * Which other origins' scripts may read a route's answers (Fetch §3.3): all, or those that the request's client registered.
 * No answer is ever shared with credentials: cookies prove nothing here.
 */
export type CrossOrigin = 'any_origin' | RegisteredOrigins

/** The origins that the client of a request registered. It may fail: then no origin is let in. */
export type RegisteredOrigins = (request: ServerRequest) => Promise<readonly string[]>

/** Whether a browser asks, on behalf of another origin's script, which requests it may send (Fetch §3.3.2). */
export const isPreflight = ({ method, headers }: ServerRequest): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/**
 * The same answer to every preflight. It names no client, so it cannot be asked which origins are registered; it lets the
 * request through, and whether the script may read the answer is said with the answer.
 * @param methods the header's value.
 */
export const preflightAnswer = (methods: string): ServerResponse => ({
  status: 204,
  headers: [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Allow-Methods', methods],
    // Fetch §3.3.5: the asterisk is all headers but this one.
    ['Access-Control-Allow-Headers', 'Authorization, *'],
    // Two hours: Chromium keeps it no longer.
    ['Access-Control-Max-Age', '7200'],
  ],
  body: undefined,
})

/** The header by which a browser lets the scripts of all origins read an answer. */
export const sharedWithAll: readonly Header[] = [['Access-Control-Allow-Origin', '*']]

/** The headers by which it lets the script of a registered origin read an answer, and no other. */
export async function sharingHeaders(
  registered: RegisteredOrigins,
  request: ServerRequest,
): Promise<readonly Header[]> {
  const origin = request.headers.get('origin')
  const isOther = origin !== undefined && origin !== request.url.origin
  if (!isOther || !(await isRegistered(origin, registered, request))) return [varies]
  return [
    ['Access-Control-Allow-Origin', origin],
    // RFC 6750 §3: the challenge says what was wrong with the token.
    ['Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After'],
    varies,
  ]
}

async function isRegistered(origin: string, registered: RegisteredOrigins, request: ServerRequest): Promise<boolean> {
  try {
    return (await registered(request)).includes(origin)
  } catch {
    // The request is malformed, or storage is down. The endpoint has said so; here it means that nobody is known.
    return false
  }
}

/** Fetch §3.3.7: a cache must not give one origin's answer to another. */
const varies: Header = ['Vary', 'Origin']
