/** Whether two identifiers of resources are equal after normalization. */
export const isSameResource = (one: string, other: string): boolean =>
  one === other || normalizeResource(one) === normalizeResource(other)

/** Returns the identifier from the list that is the same resource; `undefined` if there is none. */
export function findResourceName(uri: string, known: readonly string[]): string | undefined {
  return known.includes(uri) ? uri : known.find((name) => isSameResource(name, uri))
}

/**
 * Returns the identifier with scheme and host in lower case, and for http and https without the default port and with
 * `/` as the path if it has none (RFC 3986 §6.2.2.1, §6.2.3). Clients send what the metadata says, what a user typed,
 * or what their URL parser returns. Everything after the path begins does matter, including a slash at its end.
 */
function normalizeResource(uri: string): string {
  const [, scheme, authority, rest] = /^([a-z][\w+.-]*:\/\/)([^/?#@]*)(.*)$/is.exec(uri) ?? []
  if (scheme === undefined || authority === undefined || rest === undefined) return uri
  const start = scheme.toLowerCase()
  const host = authority.toLowerCase()
  const port = defaultPorts.get(start)
  if (port === undefined || rest.startsWith('@')) return start + host + rest
  const name = host.replace(port, '')
  return start + name + (rest.startsWith('/') ? rest : `/${rest}`)
}

/** The endings of an authority that name the default port, by scheme. */
const defaultPorts: ReadonlyMap<string, RegExp> = new Map([
  ['https://', /:(?:443)?$/],
  ['http://', /:(?:80)?$/],
])
