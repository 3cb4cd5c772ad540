/**
 * Checks the issuer of a server, and that its storage is bound to the same issuer. Otherwise the server would serve the
 * records of one issuer at the addresses of another.
 * @throws TypeError that says what to change.
 */
export function parseServerIssuer(server: {
  readonly issuer: string
  readonly storage: { readonly issuer: string }
}): URL {
  const url = parseIssuer(server.issuer)
  if (server.storage.issuer !== server.issuer)
    throw new TypeError(
      `The storage is bound to another issuer: ${server.storage.issuer}, and the server has ${server.issuer}. Create both with the same issuer.`,
    )
  return url
}

/**
 * Checks an issuer identifier (RFC 8414 §2): https, or http on loopback for development; no query, fragment,
 * credentials or trailing slash; in the form that URL parsing produces, because clients compare it byte for byte.
 * @throws TypeError that says what to change.
 */
export function parseIssuer(issuer: string): URL {
  if (!URL.canParse(issuer)) throw new TypeError('The issuer must be an absolute URL, such as https://id.example.com.')
  const url = new URL(issuer)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    throw new TypeError(
      'The issuer must use https, even behind a proxy: it is the address that browsers see. Plain http is for 127.0.0.1, [::1] and localhost only.',
    )
  }
  const canonical = url.origin + url.pathname.replace(/\/+$/, '')
  if (issuer !== canonical) {
    throw new TypeError(
      `The issuer must have no query, fragment, credentials or trailing slash, and be in lower case where case does not matter. Write it as ${canonical}`,
    )
  }
  return url
}

/** Whether a host name denotes the local machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'
