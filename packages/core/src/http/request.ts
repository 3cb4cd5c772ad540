/** An HTTP request as a plain value. Adapters make it; nothing below them sees a framework. */
export interface ServerRequest {
  /** In capitals, as received. */
  readonly method: string
  /** The configured origin with the request's path and query: never the `Host` header's. */
  readonly url: URL
  /**
   * By lower-case name; a header that came several times has its values joined by `, ` (RFC 9110 §5.3), cookies by `; `
   * (RFC 9113 §8.2.3), and appears in `repeatedHeaders`.
   */
  readonly headers: ReadonlyMap<string, string>
  /** Lower-case names of headers that arrived more than once. */
  readonly repeatedHeaders: ReadonlySet<string>
  /** The raw bytes: a parsed body would have lost repeated parameters. */
  readonly body: Uint8Array
}

/** The media type of the body, in lower case and without its parameters; `undefined` when absent or malformed. */
export function mediaType(request: ServerRequest): string | undefined {
  const header = request.headers.get('content-type')
  if (header === undefined || header.includes(',')) return undefined
  return header.split(';', 1)[0]?.trim().toLowerCase()
}
