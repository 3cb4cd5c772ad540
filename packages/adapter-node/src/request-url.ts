/**
 * The URL of a request under the configured origin.
 * @param target the request target as it stood in the request line.
 * @returns `undefined` when the target is no origin-form (RFC 9112 §3.2.1), or when URL parsing would change its path:
 *   `/x/../token`, `/./token` and `/\token` are not the path `/token`, whatever a parser makes of them.
 */
export function requestUrl(origin: string, target: string): URL | undefined {
  if (!originForm.test(target)) return undefined
  const url = new URL(origin + target)
  return url.pathname === pathOf(target) ? url : undefined
}

/** What stands in front of the query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** A slash, then visible ASCII; a `#` would make the rest a fragment, which a request target does not have. */
const originForm = /^\/[\x21\x22\x24-\x7e]*$/
