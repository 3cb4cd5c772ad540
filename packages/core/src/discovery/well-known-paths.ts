/**
 * The paths at which clients look for the metadata: OpenID Connect appends the well-known path to the issuer's
 * (OIDC Discovery §4), RFC 8414 §3.1 inserts it in front of it, and some clients do the one with the other's name.
 */
export function wellKnownPaths(issuerPath: string): readonly string[] {
  const names = ['openid-configuration', 'oauth-authorization-server']
  const paths = names.flatMap((name) => [`${issuerPath}/.well-known/${name}`, `/.well-known/${name}${issuerPath}`])
  return [...new Set(paths)]
}
