import { allowHeader, type Header, type RequestHead, type ServerRequest, type ServerResponse } from './message.ts'

/**
 * Which other origins' scripts may read a route's answers (Fetch §3.3): all, or those that the request's client registered.
 * No answer is shared with credentials, because no endpoint trusts cookies alone.
 */
export type CrossOrigin = 'any_origin' | RegisteredOrigins

/** The origins that the client of a request registered. If it throws, no origin is allowed. */
export type RegisteredOrigins = (request: ServerRequest) => Promise<readonly string[]>

/** Whether a browser asks which requests another origin's script may send (Fetch §3.3.2). */
export const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/**
 * The same answer to every preflight. A preflight identifies no client, so it cannot be checked against registered origins.
 * The answer to the request itself says whether the script may read it.
 */
export const preflightAnswer = (methods: readonly string[]): ServerResponse => ({
  status: 204,
  headers: [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Allow-Methods', allowHeader(methods)[1]],
    // Fetch §3.3.5: the asterisk is all headers but this one.
    ['Access-Control-Allow-Headers', 'Authorization, *'],
    // Two hours, the maximum of Chromium.
    ['Access-Control-Max-Age', '7200'],
  ],
  body: undefined,
})

/** The header that lets the scripts of all origins read an answer. */
export const sharedWithAll: readonly Header[] = [['Access-Control-Allow-Origin', '*']]

/** The headers that let only the script of a registered origin read an answer. */
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
    // The request is malformed, or storage is down. The endpoint has answered with an error; no origin may read it.
    return false
  }
}

/** Fetch §3.3.7: a cache must not give one origin's answer to another. */
const varies: Header = ['Vary', 'Origin']
