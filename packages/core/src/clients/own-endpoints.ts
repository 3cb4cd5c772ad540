/** Whether an address is an endpoint of the server with this issuer: it would answer in place of the client. */
export function isEndpointOf(issuer: string, uri: string): boolean {
  const { origin, pathname } = new URL(uri)
  // Not `origin` alone: it is `null` for the address of an app.
  return uri.startsWith(new URL(issuer).origin) && endpointPaths.some((path) => origin + pathname === issuer + path)
}

/** The paths of the endpoints below the issuer. Other paths may belong to an app on the same host. */
export const endpointPaths: readonly string[] = [
  '/auth',
  '/auth/push',
  '/auth/cancel',
  '/token',
  '/token/introspection',
  '/token/revocation',
  '/token/revocation-feed',
  '/bc-authorize',
  '/grants',
  '/userinfo',
  '/jwks',
  '/session/end',
  '/session/end/confirm',
  '/device',
  '/device/confirm',
  '/device/authorization',
  '/client-logo',
]
