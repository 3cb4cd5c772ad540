/** A header as name and value; a list of pairs keeps several `Set-Cookie` apart. */
export type Header = readonly [name: string, value: string]

/** An HTTP response as a plain value. A frozen one is given again and again: an adapter may keep what it made of it. */
export interface ServerResponse {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | undefined
}

/** Tells every cache, also an HTTP/1.0 one, to keep nothing (RFC 6749 §5.1). */
export const noStore: readonly Header[] = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
]

/** A JSON answer. Add `noStore` unless the content is public. */
export function json(status: number, value: unknown, headers: readonly Header[] = []): ServerResponse {
  return {
    status,
    headers: [['Content-Type', 'application/json'], ['X-Content-Type-Options', 'nosniff'], ...headers],
    body: JSON.stringify(value),
  }
}

/**
 * A redirect that turns every method into GET: 303, never 307, so that a form with credentials is not posted onwards
 * (RFC 9700 §4.12). It is not stored, and the next page learns nothing of this address.
 */
export function redirect(location: string, headers: readonly Header[] = []): ServerResponse {
  return {
    status: 303,
    headers: [['Location', location], ['Referrer-Policy', 'no-referrer'], ...noStore, ...headers],
    body: undefined,
  }
}

/** The same response with more headers behind its own. */
export function withHeaders(response: ServerResponse, headers: readonly Header[]): ServerResponse {
  return headers.length === 0 ? response : { ...response, headers: [...response.headers, ...headers] }
}

/** The answer to HEAD: what GET answers, with the length of its body instead of the body (RFC 9110 §9.3.2). */
export function withoutBody(response: ServerResponse): ServerResponse {
  if (response.body === undefined) return response
  const { length } = typeof response.body === 'string' ? new TextEncoder().encode(response.body) : response.body
  return withHeaders({ ...response, body: undefined }, [['Content-Length', String(length)]])
}
