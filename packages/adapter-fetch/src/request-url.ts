/**
 * The URL of a request under the configured origin, whatever host the runtime saw.
 * @param seen as the runtime gives it: absolute.
 * @returns `undefined` when it has a fragment or credentials, which no request target has (RFC 9112 §3.2, RFC 9110 §4.2.4),
 *   or a path that is not as it came: most runtimes have resolved `/x/../token` before anybody can ask.
 */
export function requestUrl(origin: string, seen: string): URL | undefined {
  const { pathname, search } = new URL(seen)
  const [, path] = /^[^/]*\/\/[^/?#@]*([^?#]*)/.exec(seen) ?? []
  return path === pathname && !seen.includes('#') ? new URL(origin + pathname + search) : undefined
}
